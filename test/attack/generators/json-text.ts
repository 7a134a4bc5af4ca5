/** A value with this text as its JSON, valid or not. */
const asText = Symbol('as text')
export interface Raw {
  [asText]: string
}
export const raw = (text: string): Raw => ({ [asText]: text })

export function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (asText in value) return String(value[asText])
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}:${write(inner)}`)
    .join(',')}}`
}

export function pathsIn(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null || asText in value) return [[]]
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [[], ...inner.flatMap(([step, part]) => pathsIn(part).map((path) => [step, ...path]))]
}

/** Removes the part if `change` returns undefined. */
export function changedAt(
  value: unknown,
  path: readonly (string | number)[],
  change: (old: unknown) => unknown,
): unknown {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value))
    return value.map((part, at) => (at === step ? changedAt(part, rest, change) : part))
  const pairs = Object.entries(value as object).map(
    ([name, part]) => [name, name === step ? changedAt(part, rest, change) : part] as const,
  )
  return Object.fromEntries(pairs.filter(([, part]) => part !== undefined))
}
