import * as fc from 'fast-check'
import { jsonBytes, jsonTexts, jsonValues } from '../corpora/json-values.ts'
import { naughtyNames, naughtyStrings } from '../corpora/naughty-strings.ts'
import { goodValue } from './good-values.ts'
import { weighted } from './weighted.ts'

export type BodyBytes = fc.Arbitrary<string | Buffer | null>

const wrong = fc.oneof(
  fc.constantFrom(...jsonValues),
  fc.constantFrom(...naughtyStrings).map((text) => JSON.stringify(text)),
)

type Change = { index: number; name: string; text: string; how: 'replace' | 'leave out' | 'add' | 'twice' }
const prototypes = fc.constantFrom('__proto__', 'constructor', 'prototype')
const change: fc.Arbitrary<Change> = fc.record({
  index: fc.nat({ max: 1000 }),
  name: weighted([2, fc.constantFrom(...naughtyNames)], [1, prototypes]),
  text: wrong,
  how: fc.constantFrom('replace', 'replace', 'replace', 'leave out', 'add', 'add', 'twice'),
})

function changed(value: unknown, { index, name, text, how }: Change): unknown {
  const [first = [], ...inner] = pathsIn(value)
  const chosen = inner[index % Math.max(inner.length, 1)] ?? first
  if (how === 'replace') return changedAt(value, chosen, () => raw(text))
  if (how === 'leave out') return changedAt(value, chosen, () => undefined) ?? {}
  const above = chosen.slice(0, -1)
  return changedAt(value, above, (old) =>
    raw(how === 'add' ? added(old, name, text) : added(old, String(chosen.at(-1)), text)),
  )
}

function added(old: unknown, name: string, text: string): string {
  const whole = write(old)
  if (!whole.startsWith('{')) return whole
  return `${whole.slice(0, -1)}${whole === '{}' ? '' : ','}${JSON.stringify(name)}:${text}}`
}

export function jsonBody(schema: object): BodyBytes {
  const good = goodValue(schema, '')
  const goodText = good.map(write)
  const twisted = fc
    .tuple(good, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) => write(changes.reduce<unknown>(changed, value)))
  const cut = fc
    .tuple(goodText, fc.nat({ max: 999 }))
    .map(([text, thousandth]) => text.slice(0, (text.length * thousandth) / 1000))
  const text = fc
    .tuple(fc.constantFrom(...jsonTexts), goodText)
    .map(([each, value]) => each.replaceAll('~good~', () => value))
  const odd = fc.oneof(fc.constantFrom(...jsonBytes), fc.json(), fc.constant(null))
  return weighted([6, goodText], [8, twisted], [3, text], [1, cut], [3, odd])
}

const asText = Symbol('as text')
const raw = (text: string) => ({ [asText]: text })

function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (asText in value) return String(value[asText])
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}:${write(inner)}`)
    .join(',')}}`
}

function pathsIn(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null || asText in value) return [[]]
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [[], ...inner.flatMap(([step, part]) => pathsIn(part).map((path) => [step, ...path]))]
}

type Path = readonly (string | number)[]

function changedAt(value: unknown, path: Path, edit: (old: unknown) => unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return edit(value)
  if (Array.isArray(value)) return value.map((part, at) => (at === step ? changedAt(part, rest, edit) : part))
  const pairs = Object.entries(value as object).map(
    ([name, part]) => [name, name === step ? changedAt(part, rest, edit) : part] as const,
  )
  return Object.fromEntries(pairs.filter(([, part]) => part !== undefined))
}
