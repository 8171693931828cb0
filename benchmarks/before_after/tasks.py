"""All tasks, by the names in the plan."""

from benchmarks.before_after import http_tasks, store_tasks, worker_tasks
from benchmarks.before_after.task import Task


def task_named(name: str) -> type[Task]:
    """The class of a task."""
    for module in (worker_tasks, http_tasks, store_tasks):
        if hasattr(module, name):
            found: type[Task] = getattr(module, name)
            return found
    raise LookupError(f"There is no task {name!r}.")
