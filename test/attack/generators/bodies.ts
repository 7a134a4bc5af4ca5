import * as fc from 'fast-check'
import { csvFiles, multiparts } from '../corpora/csv.ts'
import { contentTypes } from '../corpora/headers.ts'
import { markup, naughtyStrings } from '../corpora/naughty-strings.ts'
import type { TargetBody } from '../targets/target.ts'
import { type BodyBytes, jsonBody } from './json-bodies.ts'
import { weighted } from './weighted.ts'

export type TypedBody = fc.Arbitrary<{ body: string | Buffer | null; contentType: string | null }>

const withType = (body: BodyBytes, usual: string): TypedBody =>
  fc.record({
    body,
    contentType: weighted([12, fc.constant(usual)], [1, fc.constantFrom(...contentTypes)]),
  })

const bytes: BodyBytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const nothing: TypedBody = fc.constant({ body: null, contentType: null })
const anything = withType(fc.oneof(bytes, fc.constantFrom(...naughtyStrings)), 'application/json')

const csvBody: TypedBody = fc.oneof(
  withType(fc.constantFrom(...csvFiles), 'text/csv'),
  withType(fc.constantFrom(...multiparts), 'multipart/form-data; boundary=x'),
  withType(
    fc.constantFrom(...csvFiles).map((csv) => JSON.stringify({ csv })),
    'application/json',
  ),
)

/** To be escaped by pages. Frequent, because forms have few fields and show them only next to an error. */
const markups = naughtyStrings.filter((text) => text.includes(markup))

function formBody(fields: Readonly<Record<string, readonly string[]>>): TypedBody {
  const named = Object.entries(fields).map(([name, values]) => {
    const value = weighted(
      [5, fc.constantFrom(...values)],
      [1, fc.constantFrom(...naughtyStrings)],
      [1, fc.constantFrom(...markups)],
    )
    const oddNames = ['[]', '[__proto__]', '.x'].map((suffix) => name + suffix)
    const oddName = fc.constantFrom(...oddNames, name.toUpperCase(), '__proto__')
    return fc
      .tuple(weighted([12, fc.constant(name)], [1, oddName]), value)
      .map((pair) => pair.map(encoded).join('='))
  })
  const odd = ['&%=%', '&form=1&form=2&pin=1&pin=2', '&a'.repeat(5000), '&__proto__[polluted]=yes']
  const extra = fc.constantFrom('', '', '', ...odd)
  const whole = fc.tuple(fc.tuple(...named), extra).map(([pairs, more]) => pairs.join('&') + more)
  return withType(weighted([9, whole], [1, bytes]), 'application/x-www-form-urlencoded')
}

/** Percent-encodes everything but references. Lone surrogates become their bytes. */
const encoded = (text: string): string =>
  text.replaceAll(/[^\w.~-]/gu, (each) => (each.isWellFormed() ? encodeURIComponent(each) : '%ED%A0%80'))

export function bodyFor(body: TargetBody): TypedBody {
  switch (body.kind) {
    case 'none':
      return weighted([5, nothing], [1, anything])
    case 'json':
      return withType(jsonBody(body.schema), 'application/json')
    case 'csv':
      return weighted([5, csvBody], [1, withType(jsonBody(body.schema), 'application/json')])
    case 'form':
      return formBody(body.fields)
  }
}
