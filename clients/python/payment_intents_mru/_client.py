from __future__ import annotations

import threading
import time
from typing import Any, Callable, Iterator, List, Mapping, Optional

from ._generated import LISTS, OMITTED, OPERATIONS, Operations
from ._send import create_send
from .types import EventName, LoggedEvent

# The delay before the next request if the service could not hold the last one, and so responded at once.
POLL_EVERY = 1.0


class Payments(Operations):
    """The client. Every operation of the API is a method. It can be shared between threads.

    `base_url` is the address of the service. `timeout` is in seconds, and for one attempt: a refund may take 20 s.
    After an error that may be temporary, an operation is repeated up to `max_retries` times. A write keeps its
    idempotency key, so the service carries it out only once.
    """

    def __init__(self, *, key: str, base_url: str, timeout: float = 30, max_retries: int = 4) -> None:
        self._send = create_send(key, base_url, timeout, max_retries)

    def _call(
        self,
        operation: str,
        fields: Mapping[str, Any],
        timeout: Optional[float],
        max_retries: Optional[float],
        idempotency_key: Optional[str] = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> Any:
        given = {name: value for name, value in fields.items() if value is not OMITTED}
        return self._send(
            OPERATIONS[operation],
            given,
            idempotency_key=idempotency_key,
            attempt_timeout=timeout,
            retries=max_retries,
            sleep=sleep,
        )

    def _list_all(self, operation: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        if operation not in LISTS:
            raise ValueError(f"{operation!r} is not a list. Lists: {', '.join(LISTS)}.")
        return _items(getattr(self, operation), fields)

    def follow_events(
        self,
        *,
        after: Optional[str] = None,
        type: Optional[EventName] = None,
        wait: int = 25,
        limit: int = 100,
        max_retries: float = float("inf"),
        stop: Optional[threading.Event] = None,
    ) -> EventIterator:
        """Follows the event log, so that your program misses no event, even if it was offline.

        `after` is a stored `cursor`, or `latest`. The iteration ends only when `stop` is set, at the latest when the
        waiting request returns after `wait` seconds, or with an error that is not temporary.
        """
        given = {"type": OMITTED if type is None else type, "limit": limit}
        stopped = threading.Event() if stop is None else stop

        def pause(seconds: float) -> None:
            if stopped.wait(seconds):
                raise StopIteration

        def read(cursor: Optional[str], seconds: int) -> Any:
            fields = {**given, "after": OMITTED if cursor is None else cursor, "wait": seconds}
            # The timeout must be longer than the time for which the service holds the request.
            return self._call("readEventFeed", fields, seconds + 15, max_retries, sleep=pause)

        return EventIterator(read, after, wait, stopped)


class EventIterator(Iterator[LoggedEvent]):
    """The events, in the order of the log."""

    def __init__(
        self, read: Callable[[Optional[str], int], Any], after: Optional[str], wait: int, stop: threading.Event
    ) -> None:
        self._read, self._wait, self._stop = read, wait, stop
        self._items: List[LoggedEvent] = []
        self._next = after
        #: Where to continue later. Store it after you have handled an event. It advances with the last event of each
        #: request, so a restart may repeat events. Use the id of each event to recognise them.
        self.cursor = after

    def __next__(self) -> LoggedEvent:
        while not self._items:
            self._fetch()
        if self._stop.is_set():
            raise StopIteration
        event = self._items.pop(0)
        if not self._items:
            self.cursor = self._next
        return event

    def _fetch(self) -> None:
        if self._stop.is_set():
            raise StopIteration
        # A retried request for the latest position would skip events, so this one does not wait.
        is_latest = self._next == "latest"
        next_at = time.monotonic() + (0 if is_latest else POLL_EVERY)
        page = self._read(self._next, 0 if is_latest else self._wait)
        self._items, self._next = page["items"], page["next"]
        if not self._items:
            self.cursor = self._next
            self._stop.wait(max(0.0, next_at - time.monotonic()))


def _items(read: Callable[..., Any], fields: Mapping[str, Any]) -> Iterator[Any]:
    """Skips items that moved to the next page because newer items were created in between."""
    before: List[Any] = []
    page = 1
    while True:
        result = read(**{"limit": 100, **fields, "page": page})
        ids = [item.get("id") or item.get("_id") or item.get("referenceNumber") for item in result["items"]]
        for item, own in zip(result["items"], ids):
            if own not in before:
                yield item
        if not result["hasMore"]:
            return
        before = ids
        page += 1
