import * as fc from 'fast-check'
import { lines, queries, segments } from '../corpora/addresses-of-requests.ts'
import { naughtyStrings } from '../corpora/naughty-strings.ts'
import type { Target } from '../targets/target.ts'
import { goodValue, reference, type Schema } from './good-values.ts'
import { weighted } from './weighted.ts'

export function lineFor(target: Target): fc.Arbitrary<string> {
  const usual = fc
    .tuple(pathOf(target.path), queryOf(target.query))
    .map(([path, query]) => (query === '' ? path : `${path}?${query}`))
  return weighted([40, usual], [1, fc.constantFrom(...lines)])
}

/** Each parameter becomes an own id, another business's id, or a string that is no id. */
function pathOf(path: string): fc.Arbitrary<string> {
  const parts = path.split(/~(\w+)~/)
  const chosen = parts.map((part, index) =>
    index % 2 === 0
      ? fc.constant(part)
      : weighted(
          [9, reference(part)],
          [1, fc.constantFrom(...segments)],
          [1, fc.constantFrom(...naughtyStrings).map(encodeSafely)],
        ),
  )
  return fc.tuple(...chosen).map((each) => each.join(''))
}

function queryOf(schema: object | null): fc.Arbitrary<string> {
  const odd = fc.constantFrom(...queries)
  const { properties = {} } = (schema ?? {}) as Schema
  const names = Object.keys(properties)
  if (names.length === 0) return weighted([9, fc.constant('')], [1, odd])
  const value = weighted(
    [1, fc.constantFrom(...naughtyStrings).map(encodeSafely)],
    [1, fc.constantFrom('%00', '%', '%ff', '[]', '', '~tag~')],
  )
  const pairs = names.map((name) => {
    const good = goodValue(properties[name] ?? {}, name).map((each) => encodeSafely(String(each)))
    return weighted([2, fc.constant(null)], [2, good], [1, value]).map((each) =>
      each === null ? '' : `${name}=${each}`,
    )
  })
  const usual = fc.tuple(...pairs).map((each) => each.filter((pair) => pair !== '').join('&'))
  return weighted([4, usual], [1, odd])
}

/** Keeps references unencoded, and shortens the text to fit into a request line. */
const encodeSafely = (text: string): string =>
  text
    .slice(0, 600)
    .toWellFormed()
    .replaceAll(/[^\w.~-]/gu, encodeURIComponent)
