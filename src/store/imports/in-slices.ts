/** What one call to MongoDB takes of an import: far from the 5 s at which a call is given up, also on a busy server. */
const slice = 1_000

export function inSlices<Item>(items: readonly Item[]): Item[][] {
  const count = Math.ceil(items.length / slice)
  return Array.from({ length: count }, (_, place) => items.slice(place * slice, (place + 1) * slice))
}
