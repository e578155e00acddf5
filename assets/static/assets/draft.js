// A draft of a loadout: changes are marked as they are made, Space goes through the choices of access,
// and rows are filtered by words. Without this file the same form works with its preview button.
const form = document.querySelector("[data-draft]");
const rows = [...form.querySelectorAll("[data-row]")].filter((row) => row.querySelector("[data-access]"));
const count = form.querySelector("[data-count]");
const fields = (row) => [...row.querySelectorAll("select, input")];
const before = new Map(rows.map((row) => [row, fields(row).map((one) => one.value).join("\n")]));
const drawn = new Map(rows.map((row) => [row, ["added", "changed", "removed"].find((one) => row.classList.contains(one)) || ""]));

const markOf = (row) => {
  const access = row.querySelector("[data-access]");
  const was = access.dataset.was;
  if (!was) return access.value ? "added" : "";
  if (!access.value) return "removed";
  const same = fields(row).map((one) => one.value).join("\n") === before.get(row);
  return same ? drawn.get(row) : "changed";
};
const draw = () => {
  let changes = 0;
  for (const row of rows) {
    const mark = markOf(row);
    const sign = row.querySelector("[data-mark]");
    row.classList.remove("added", "changed", "removed");
    sign.textContent = mark ? `◐ ${sign.dataset[mark]}` : "";
    if (mark) { row.classList.add(mark); changes += 1; }
  }
  count.textContent = (changes === 1 ? count.dataset.one : count.dataset.many).replace("#", changes);
};
form.addEventListener("input", (event) => { if (event.target.closest("[data-row]")) draw(); });
form.addEventListener("keydown", (event) => {
  const select = event.target.closest("[data-access]");
  if (!select || event.key !== " ") return;
  event.preventDefault();
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  draw();
});
const find = form.querySelector("[data-filter]");
find.closest("[data-script]").hidden = false;
find.addEventListener("input", () => {
  const words = find.value.trim().toLowerCase();
  for (const row of form.querySelectorAll("[data-row]")) {
    row.hidden = !row.dataset.words.toLowerCase().includes(words);
  }
  for (const group of form.querySelectorAll("tbody")) {
    group.hidden = ![...group.querySelectorAll("[data-row]")].some((row) => !row.hidden);
  }
});
find.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
document.querySelector("[data-focus]")?.focus();
