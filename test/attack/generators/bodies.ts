import * as fc from 'fast-check'
import { csvFiles, multiparts } from '../corpora/csv.ts'
import { contentTypes } from '../corpora/headers.ts'
import { markup, naughtyStrings } from '../corpora/naughty-strings.ts'
import type { TargetBody } from '../targets/target.ts'
import { type BodyBytes, jsonBody } from './json-bodies.ts'

/** A body with its content type. */
export type TypedBody = fc.Arbitrary<{ body: string | Buffer | null; contentType: string | null }>

const withType = (body: BodyBytes, usual: string): TypedBody =>
  fc.record({
    body,
    contentType: fc.oneof(
      { weight: 12, arbitrary: fc.constant(usual) },
      { weight: 1, arbitrary: fc.constantFrom(...contentTypes) },
    ),
  })

const bytes: BodyBytes = fc.uint8Array({ maxLength: 300 }).map((some) => Buffer.from(some))
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

/** Text that a page must escape. Frequent, because forms have few fields and show them only beside an error. */
const markups = naughtyStrings.filter((text) => text.includes(markup))

/** The fields of a form, with good and bad values, some twice, some with strange names. */
function formBody(fields: Readonly<Record<string, readonly string[]>>): TypedBody {
  const named = Object.entries(fields).map(([name, values]) => {
    const value = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...values) },
      { weight: 1, arbitrary: fc.constantFrom(...naughtyStrings) },
      { weight: 1, arbitrary: fc.constantFrom(...markups) },
    )
    const oddName = fc.constantFrom(
      `${name}[]`,
      `${name}[__proto__]`,
      name.toUpperCase(),
      '__proto__',
      `${name}.x`,
    )
    return fc
      .tuple(fc.oneof({ weight: 12, arbitrary: fc.constant(name) }, { weight: 1, arbitrary: oddName }), value)
      .map(([as, text]) => `${encoded(as)}=${encoded(text)}`)
  })
  const extra = fc.constantFrom(
    '',
    '',
    '',
    '&%=%',
    '&form=1&form=2&pin=1&pin=2',
    '&a'.repeat(5000),
    '&__proto__[polluted]=yes',
  )
  const whole = fc.tuple(fc.tuple(...named), extra).map(([pairs, more]) => pairs.join('&') + more)
  return withType(
    fc.oneof({ weight: 9, arbitrary: whole }, { weight: 1, arbitrary: bytes }),
    'application/x-www-form-urlencoded',
  )
}

/** Percent-encodes everything except references. Lone surrogates become their bytes. */
const encoded = (text: string): string =>
  text.replaceAll(/[^\w.~-]/gu, (each) => (each.isWellFormed() ? encodeURIComponent(each) : '%ED%A0%80'))

export function bodyFor(body: TargetBody): TypedBody {
  switch (body.kind) {
    case 'none':
      return fc.oneof({ weight: 5, arbitrary: nothing }, { weight: 1, arbitrary: anything })
    case 'json':
      return withType(jsonBody(body.schema), 'application/json')
    case 'csv':
      return fc.oneof(
        { weight: 5, arbitrary: csvBody },
        { weight: 1, arbitrary: withType(jsonBody(body.schema), 'application/json') },
      )
    case 'form':
      return formBody(body.fields)
  }
}
