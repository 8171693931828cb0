"""Tasks over HTTP: the requests go to `plaudit serve` in a process of its own."""

from collections.abc import Sequence

from benchmarks.before_after.content import ITEMS
from benchmarks.before_after.serving import Server
from benchmarks.before_after.task import ASKS_A_RATER, RATERS_A_ROUND, VOTES_A_ROUND, Task


class OverHttp(Task):
    """Requests to `plaudit serve`, which runs as a process of its own."""

    requests: Sequence[bytes] = ()

    def begin(self) -> None:
        self.server = Server(self.copied())
        self.signer = self.side.signer()

    def cpu(self) -> float:
        return self.server.cpu()

    def act(self) -> None:
        self.server.send_all(self.requests)

    def close(self) -> None:
        self.server.close()


class HttpVote(OverHttp):
    """Durable votes over HTTP, by raters whom the store is asked about first."""

    def prepare(self) -> None:
        requests, now = [], self.side.now_ms()
        for number in range(VOTES_A_ROUND // 2 // 10):
            rater = self.signer.new_rater()
            for turn in range(10):
                item = (number * 7919 + turn * 97 + self.turn) % ITEMS
                ticket = self.signer.ticket(rater.key, self.side.Ticket(item, 0, now))
                body = f'{{"ticket":"{ticket}","level":{number % 3},"response_ms":900}}'
                requests.append(self.server.post("votes", self.signer.token(rater), body))
        self.requests = requests


class HttpAsk(OverHttp):
    """Asks over HTTP, each for one item more than before."""

    def prepare(self) -> None:
        raters = [self.signer.token(self.signer.new_rater()) for _ in range(RATERS_A_ROUND // 2)]
        self.requests = [
            self.server.post("ask", token, f'{{"count":{count}}}')
            for count in range(1, ASKS_A_RATER + 1)
            for token in raters
        ]


class HttpResults(OverHttp):
    """Results over HTTP; most come from those made a moment before."""

    def prepare(self) -> None:
        self.requests = [self.server.get("results")] * (VOTES_A_ROUND // 2)
