"""What a load test reads out of wrk's answer."""

from benchmarks.load import read_wrk

PRINTED = """Running 4s test @ http://127.0.0.1:8000/v
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.51ms    1.20ms  32.70ms   80.99%
    Req/Sec     5.90k   310.44     6.40k    71.99%
  Latency Distribution
     50%    2.20ms
     99%    7.16ms
  23540 requests in 4.00s, 4.10MB read
Requests/sec:   5885.01
"""


def test_the_99th_percentile_is_not_some_other_share_that_ends_with_99():
    load = read_wrk(PRINTED)
    assert (load.per_second, load.p99_ms, load.slowest_ms) == (5885.01, 7.16, 32.7)
    assert load.errors == 0


def test_what_went_wrong_is_counted():
    errors = "Socket errors: connect 1, read 2, write 0, timeout 4\nNon-2xx or 3xx responses: 5\n"
    assert read_wrk(PRINTED + errors).errors == 12
