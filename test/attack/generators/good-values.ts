import * as fc from 'fast-check'
import { events } from '../../../schemas/events.ts'
import { hookUrls } from '../corpora/hook-urls.ts'
import { naughtyStrings } from '../corpora/naughty-strings.ts'

/** The part of JSON Schema that the service uses. */
export interface Schema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  format?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
  else?: { required?: readonly string[] }
  /** Fields that exclude others, by name. */
  dependencies?: Record<string, Schema>
  additionalProperties?: Schema
  items?: Schema
  minimum?: number
  maximum?: number
}

type Made = fc.Arbitrary<unknown>

const small = fc.nat({ max: 40 })
const whose = fc.constantFrom('own', 'own', 'own', 'other')
/** A reference to an id from an earlier response. */
export const reference = (noun: string): fc.Arbitrary<string> =>
  fc.tuple(whose, small).map(([owner, number]) => `~${owner}.${noun}.${number}~`)

const text = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 99 }).map((number) => `~mark~ ${number}`) },
  { weight: 3, arbitrary: fc.constantFrom(...naughtyStrings) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
)

const amount = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(1, 500, 50_000, 99_901, 99_904, 1_000_000_000) },
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 1e9 }) },
  // Just outside the range.
  { weight: 2, arbitrary: fc.constantFrom(0, -1, 0.5, 1_000_000_001, 1e15, 2 ** 53) },
)

const byFormat: Record<string, Made> = {
  amount,
  price: fc.oneof(fc.constant(0), amount),
  phone: fc.oneof(
    fc.constantFrom('~phone~', '22000001', '+22222000003'),
    fc.integer({ min: 2e7, max: 5e7 }).map(String),
  ),
  'webhook-url': fc.constantFrom(...hookUrls),
  'webhook-event': fc.constantFrom(...Object.keys(events)),
  'https-url': fc.constantFrom('https://shop.example/~mark~', 'https://shop.example/?a=1#b'),
  'https-or-localhost-url': fc.constantFrom('https://shop.example/~mark~', 'http://localhost:3000/done'),
  'date-or-time': fc.constantFrom(
    '2026-01-01',
    '2026-11-22T00:00:00Z',
    '2020-02-29',
    '2999-01-01T00:00:00+05:00',
  ),
  'page-number': fc.oneof(fc.constant('1'), small.map(String)),
  'page-size': fc.oneof(fc.constantFrom('1', '100', '1000'), small.map(String)),
}

const byName: Record<string, Made> = {
  productId: reference('product'),
  variantId: reference('variant'),
  _id: reference('variant'),
  endpointId: reference('endpoint'),
  email: fc.oneof(fc.constantFrom('a@shop.example', 'a+~mark~@shop.example'), text),
}

/** Values that mostly fit a schema. Strings may be anything, and fields may exclude each other. */
export function goodValue(schema: Schema, name: string): Made {
  const known = byName[name] ?? byFormat[schema.format ?? '']
  if (known !== undefined) return known
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return goodObject(schema)
    case 'array':
      return fc.array(goodValue(schema.items ?? {}, ''), { minLength: 1, maxLength: 3 })
    case 'integer':
      return goodInteger(schema)
    case 'boolean':
      return fc.boolean()
    default:
      return text
  }
}

const goodInteger = ({ minimum = 0, maximum = 1_000_000 }: Schema): Made =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: Math.max(minimum, 1), max: 5 }) },
    { weight: 1, arbitrary: fc.integer({ min: minimum, max: maximum }) },
  )

function goodObject(schema: Schema): Made {
  const { properties, required = [], else: unless, additionalProperties, dependencies = {} } = schema
  if (properties === undefined)
    return fc.dictionary(
      text.filter((name) => name.length < 80),
      goodValue(additionalProperties ?? {}, ''),
      { maxKeys: 4 },
    )
  const usual = new Set([...required, ...(unless?.required ?? [])])
  const fields = Object.entries(properties).map(([name, inner]) => {
    const weight = usual.has(name) ? 12 : 1
    return fc
      .oneof({ weight, arbitrary: goodValue(inner, name) }, { weight: 1, arbitrary: fc.constant(undefined) })
      .map((value) => [name, value] as const)
  })
  return fc.tuple(...fields).map((pairs) => {
    const given = pairs.filter(([, value]) => value !== undefined)
    const unfit = given.flatMap(([name]) => Object.keys(dependencies[name]?.properties ?? {}))
    return Object.fromEntries(given.filter(([name]) => !unfit.includes(name)))
  })
}
