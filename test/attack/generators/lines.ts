import * as fc from 'fast-check'
import { lines, queries, segments } from '../corpora/addresses-of-requests.ts'
import { naughtyStrings } from '../corpora/naughty-strings.ts'
import type { Target } from '../targets/target.ts'
import { goodValue, reference, type Schema } from './good-values.ts'

/** Path and query of a request to a target. */
export function lineFor(target: Target): fc.Arbitrary<string> {
  const usual = fc
    .tuple(pathOf(target.path), queryOf(target.query))
    .map(([path, query]) => (query === '' ? path : `${path}?${query}`))
  return fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...lines) })
}

/** Replaces each parameter by an own id, another's id, or a string that is no id. */
function pathOf(path: string): fc.Arbitrary<string> {
  const parts = path.split(/~(\w+)~/)
  const chosen = parts.map((part, index) =>
    index % 2 === 0
      ? fc.constant(part)
      : fc.oneof(
          { weight: 9, arbitrary: reference(part) },
          { weight: 1, arbitrary: fc.constantFrom(...segments) },
          { weight: 1, arbitrary: fc.constantFrom(...naughtyStrings).map(encodeSafely) },
        ),
  )
  return fc.tuple(...chosen).map((each) => each.join(''))
}

function queryOf(schema: object | null): fc.Arbitrary<string> {
  const odd = fc.constantFrom(...queries)
  const { properties = {} } = (schema ?? {}) as Schema
  const names = Object.keys(properties)
  if (names.length === 0)
    return fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: odd })
  const value = fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...naughtyStrings).map(encodeSafely) },
    { weight: 1, arbitrary: fc.constantFrom('%00', '%', '%ff', '[]', '', '~mark~') },
  )
  const pairs = names.map((name) => {
    const good = goodValue(properties[name] ?? {}, name).map((each) => encodeSafely(String(each)))
    return fc
      .oneof(
        { weight: 2, arbitrary: fc.constant(null) },
        { weight: 2, arbitrary: good },
        { weight: 1, arbitrary: value },
      )
      .map((each) => (each === null ? '' : `${name}=${each}`))
  })
  const usual = fc.tuple(...pairs).map((each) => each.filter((pair) => pair !== '').join('&'))
  return fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

/** Shortens to fit into a request line, and keeps references. */
const encodeSafely = (text: string): string =>
  text
    .slice(0, 600)
    .toWellFormed()
    .replaceAll(/[^\w.~-]/gu, encodeURIComponent)
