/** Reads a document of canonical extended JSON: numbers as numbers, dates as milliseconds, ids as text. */
export const readDocument = (line: string): unknown => JSON.parse(line, plain)

const readers: Record<string, (value: unknown) => unknown> = {
  $numberInt: Number,
  $numberLong: Number,
  $numberDouble: Number,
  $oid: String,
  $date: (value) => (typeof value === 'string' ? Date.parse(value) : Number(value)),
}

/** What is inside was read before: a `$date` holds a number by then. */
function plain(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const [name = '', ...more] = Object.keys(value)
  const read = more.length === 0 ? readers[name] : undefined
  return read === undefined ? value : read((value as Record<string, unknown>)[name])
}
