"""The bound on the time of a try: who is late is cancelled, and nobody else."""

from __future__ import annotations

import asyncio
import time

import pytest

from hesperus.asking.deadline import Deadline


def test_who_is_late_gets_a_time_out_and_can_go_on() -> None:
    async def main() -> tuple[list[object], int]:
        deadline = Deadline(0.05)

        async def work(seconds: float) -> float:
            await asyncio.sleep(seconds)
            return seconds

        async def worker(*tries: float) -> list[float | str]:
            found: list[float | str] = []
            for seconds in tries:
                try:
                    found.append(await deadline.bound(work(seconds)))
                except TimeoutError:
                    found.append("late")
            return found

        found = await asyncio.gather(worker(60.0, 0.0, 60.0), worker(0.0), worker(0.0, 60.0))
        task = asyncio.current_task()
        assert task is not None
        deadline.close()
        return list(found), task.cancelling()

    found, cancelling = asyncio.run(main())
    assert found == [["late", 0.0, "late"], [0.0], [0.0, "late"]]
    assert cancelling == 0


def test_a_cancellation_from_elsewhere_stays_one() -> None:
    async def main() -> None:
        deadline = Deadline(60.0)
        task = asyncio.create_task(deadline.bound(asyncio.sleep(60.0)))
        await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        finally:
            deadline.close()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())


def test_an_error_of_the_work_is_its_own() -> None:
    async def main() -> None:
        deadline = Deadline(60.0)

        async def work() -> None:
            raise ValueError("of its own")

        try:
            await deadline.bound(work())
        finally:
            deadline.close()

    with pytest.raises(ValueError, match="of its own"):
        asyncio.run(main())


def test_time_in_which_the_process_stood_still_is_nobodys_fault() -> None:
    async def main() -> tuple[str, bool]:
        loop, deadline = asyncio.get_running_loop(), Deadline(0.3)

        async def answered() -> str:
            await asyncio.sleep(0.2)
            return "in time"

        async def hanging() -> bool:
            try:
                await deadline.bound(asyncio.sleep(60.0))
            except TimeoutError:
                return True
            return False

        loop.call_later(0.05, time.sleep, 1.0)
        found = await asyncio.gather(deadline.bound(answered()), hanging())
        deadline.close()
        return found[0], found[1]

    assert asyncio.run(main()) == ("in time", True)
