"""A block that is lost: where the last pointer to it went."""

from __future__ import annotations

from counterpoint.core.source import SourceLocation
from counterpoint.execute.memory import Memory, MemoryBlock
from counterpoint.explain.failing import Failure, bytes_text, called, here, origin
from counterpoint.explain.objects import RunObject
from counterpoint.explain.telling import Telling
from counterpoint.explain.walking import Frame
from counterpoint.explain.watching import Watched


def lost_block(memory: Memory, reachable_ok: bool) -> MemoryBlock | None:
    """The first live heap block that is lost; with `reachable_ok`, one that no live object leads to and, if there is
    one, no other lost block either."""
    heap = [block for block in memory.live_blocks() if block.heap]
    if not heap or not reachable_ok:
        return heap[0] if heap else None
    others = [block for block in memory.live_blocks() if not block.heap]
    lost = [block for block in heap if block.base not in _led_to(memory, others)]
    held = {block.base: _led_to(memory, [block]) - {block.base} for block in lost}
    tops = [block for block in lost if not any(block.base in inner for inner in held.values())]
    return (tops or lost or heap)[0]


def _led_to(memory: Memory, starts: list[MemoryBlock]) -> set[int]:
    """The bases of all heap blocks that pointers in these objects lead to."""
    found: set[int] = set()
    waiting = list(starts)
    while waiting:
        block = waiting.pop()
        for value in _pointers(memory, block):
            target = memory.block_of(value)
            if target is not None and target.heap and target.base not in found:
                found.add(target.base)
                waiting.append(target)
    return found


def _pointers(memory: Memory, block: MemoryBlock) -> list[int]:
    width, order = memory.pointer_bits // 8, "big" if memory.big_endian else "little"
    data = bytes(block.data[: max(0, min(block.size, 1 << 16))])
    cells = (data[at : at + width] for at in range(0, len(data) - width + 1, width))
    return [value for cell in cells if (value := int.from_bytes(cell, order))]  # type: ignore[arg-type]


class LastPointer(Telling):
    """Listens where a block's address is kept, and where it was forgotten for the last time."""

    def __init__(self, watched: Watched, memory: Memory, base: int) -> None:
        super().__init__(watched, memory, [])
        self._base = base
        self._width = memory.pointer_bits // 8
        self._held: dict[int, str] = {}
        self._size = 0
        self.kept = False
        self.steps: list[int] = []
        self.gone: tuple[SourceLocation, str] | None = None

    def block(self, place: int, address: int, size: int) -> None:
        super().block(place, address, size)
        if address == self._base:
            self._size = size
            self._held.clear()

    def wrote(self, place: int, address: int, size: int) -> None:
        if not self._size:
            return
        address &= self.memory.owners.mask
        for at in [cell for cell in self._held if cell < address + size and address < cell + self._width]:
            if not self._points(at):
                name = self._held.pop(at)
                self._forgot(self.user_place(place), f"{name or 'its last pointer'} was overwritten")
        first = address - address % self._width
        for at in range(first, min(address + size, first + (1 << 14)), self._width):
            if at not in self._held and self._points(at):
                self._held[at] = self._name(at)
                self.kept, self.gone = True, None
                self.steps.append(self.step)

    def _points(self, cell: int) -> bool:
        block = self.memory.containing(cell, self._width)
        if block is None or block.base == self._base:
            return False
        data = block.data[cell - block.base : cell - block.base + self._width]
        value = int.from_bytes(data, "big" if self.memory.big_endian else "little")
        return self._base <= value < self._base + max(1, self._size)

    def _name(self, cell: int) -> str:
        item = self.objects.owner(cell)
        naming = self.naming()
        view = naming.view_of(item, cell) if item is not None else None
        return f"`{naming.part(view, cell, self._width).whole}`" if view is not None else ""

    def _forgot(self, at: SourceLocation, how: str) -> None:
        self.steps.append(self.step)
        if not self._held and self.gone is None:
            self.gone = at, how

    def _forget_object(self, item: RunObject | None, at: SourceLocation, how: str) -> None:
        if item is None:
            return
        for cell in [cell for cell in self._held if item.base <= cell < item.base + item.size]:
            name = self._held.pop(cell)
            self._forgot(at, how.format(name or "what pointed to it"))

    def ended(self, place: int, address: int) -> None:
        super().ended(place, address)
        item = self.objects.by_base.get(address & self.memory.owners.mask)
        self._forget_object(item, self.places[place].at, "the life of {} ended")

    def freed(self, place: int, address: int) -> None:
        super().freed(place, address)
        item = self.objects.by_base.get(address & self.memory.owners.mask)
        self._forget_object(item, self.user_place(place), "{} was freed")

    def left(self, frame: Frame) -> None:
        super().left(frame)
        for base in frame.locals:
            how = f"the life of {{}} ended with the call of `{self._called(frame)}`"
            self._forget_object(self.objects.by_base[base], self.places[self.place].at, how)

    def _called(self, frame: Frame) -> str:
        function = self.watched.program.names.functions.get(frame.function)
        return function.name if function is not None else frame.function


def leak(item: RunObject, last: LastPointer) -> Failure:
    """What is said of a lost block."""
    by = f" by {item.model}" if item.model and item.model != "malloc" else ""
    inside = f" (in {item.function}{', ' * bool(item.stack)}{called(item.stack)})" if item.function else ""
    message = f"{bytes_text(item.size)} allocated{by} at {here(item.at)}{inside} are never freed"
    explanation = [f"The block was {origin(item)}."]
    if last.gone is not None:
        at, how = last.gone
        message += f": {how} at {here(at)}"
        explanation.append(f"The last pointer to it went at {here(at)}: {how}.")
    elif not last.kept:
        explanation.append("Its address was kept nowhere.")
    return Failure(message, "", tuple(explanation), (*item.steps, *last.steps))
