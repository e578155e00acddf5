// Arrow keys move between the cells of a table marked data-grid; one of them is in the tab order.
for (const grid of document.querySelectorAll("[data-grid]")) {
  const rows = [...grid.rows].map((row) => [...row.querySelectorAll("[data-cell]")]).filter((row) => row.length);
  const cells = rows.flat();
  cells.forEach((cell, place) => { cell.tabIndex = place ? -1 : 0; });
  const go = (cell) => {
    cells.forEach((one) => { one.tabIndex = one === cell ? 0 : -1; });
    cell.focus();
  };
  grid.addEventListener("keydown", (event) => {
    const row = rows.findIndex((one) => one.includes(event.target));
    if (row < 0) return;
    const column = rows[row].indexOf(event.target);
    const moves = {
      ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1], Home: [row, 0], End: [row, rows[row].length - 1],
    };
    const next = moves[event.key] && rows[moves[event.key][0]]?.[moves[event.key][1]];
    if (!moves[event.key]) return;
    event.preventDefault();
    if (next) go(next);
  });
}
