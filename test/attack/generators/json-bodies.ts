import * as fc from 'fast-check'
import { jsonBytes, jsonTexts, jsonValues } from '../corpora/json-values.ts'
import { naughtyNames, naughtyStrings } from '../corpora/naughty-strings.ts'
import { goodValue } from './good-values.ts'
import { changedAt, placesIn, raw, write } from './json-text.ts'

export type BodyBytes = fc.Arbitrary<string | Buffer | null>

/** A wrong value, as JSON. */
const wrong = fc.oneof(
  fc.constantFrom(...jsonValues),
  fc.constantFrom(...naughtyStrings).map((text) => JSON.stringify(text)),
)

interface Change {
  place: number
  name: string
  text: string
  how: 'replace' | 'leave out' | 'add' | 'twice'
}
const change: fc.Arbitrary<Change> = fc.record({
  place: fc.nat({ max: 1000 }),
  name: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...naughtyNames) },
    { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'prototype') },
  ),
  text: wrong,
  how: fc.constantFrom('replace', 'replace', 'replace', 'leave out', 'add', 'add', 'twice'),
})

function changed(value: unknown, { place, name, text, how }: Change): unknown {
  const places = placesIn(value)
  // Other generators replace the whole body.
  const [first = [], ...inner] = places
  const chosen = inner[place % Math.max(inner.length, 1)] ?? first
  if (how === 'replace') return changedAt(value, chosen, () => raw(text))
  if (how === 'leave out') return changedAt(value, chosen, () => undefined) ?? {}
  const above = chosen.slice(0, -1)
  return changedAt(value, above, (old) =>
    raw(how === 'add' ? added(old, name, text) : added(old, String(chosen.at(-1)), text)),
  )
}

/** Adds a field, also under a name that exists. */
function added(old: unknown, name: string, text: string): string {
  const whole = write(old)
  if (!whole.startsWith('{')) return whole
  return `${whole.slice(0, -1)}${whole === '{}' ? '' : ','}${JSON.stringify(name)}:${text}}`
}

/** Bodies for an operation with this schema: valid, changed, cut off, or from a corpus. */
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
  return fc.oneof(
    { weight: 6, arbitrary: goodText },
    { weight: 8, arbitrary: twisted },
    { weight: 3, arbitrary: text },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: fc.constantFrom(...jsonBytes) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}
