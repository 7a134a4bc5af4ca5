import * as fc from 'fast-check'
import { eventScopes } from '../../../schemas/events.ts'
import { hookUrls } from '../corpora/addresses-of-requests.ts'
import { naughtyStrings } from '../corpora/naughty-strings.ts'
import { words } from '../corpora/words.ts'
import { weighted } from './weighted.ts'

export interface Schema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  format?: string
  properties?: Record<string, Schema>
  required?: readonly string[]
  else?: { required?: readonly string[] }
  dependencies?: Record<string, Schema>
  additionalProperties?: Schema
  items?: Schema
  minimum?: number
  maximum?: number
}

type Values = fc.Arbitrary<unknown>
const small = fc.nat({ max: 40 })
const owner = fc.constantFrom('own', 'own', 'own', 'other')
export const reference = (noun: string): fc.Arbitrary<string> =>
  fc.tuple(owner, small).map(([first, number]) => `~${first}.${noun}.${number}~`)

const text = weighted(
  [4, fc.nat({ max: 99 }).map((number) => `~tag~ ${number}`)],
  [3, fc.constantFrom(...naughtyStrings)],
  [1, fc.string({ unit: 'binary', maxLength: 40 })],
)
const fieldName = text.filter((name) => name.length < 80)

const amount = weighted(
  [5, fc.constantFrom(1, 500, 50_000, 99_901, 99_904, 1_000_000_000)],
  [5, fc.integer({ min: 1, max: 1e9 })],
  [2, fc.constantFrom(0, -1, 0.5, 1_000_000_001, 1e15, 2 ** 53)],
)

const anyPhone = fc.integer({ min: 2e7, max: 5e7 }).map(String)

const byFormat: Record<string, Values> = {
  amount,
  price: fc.oneof(fc.constant(0), amount),
  phone: fc.oneof(fc.constantFrom('~phone~', '22000001', '+22222000003'), anyPhone),
  'webhook-url': fc.constantFrom(...hookUrls),
  'webhook-event': fc.constantFrom(...Object.keys(eventScopes)),
  'https-url': fc.constantFrom('https://shop.example/~tag~', 'https://shop.example/?a=1#b'),
  'https-or-localhost-url': fc.constantFrom('https://shop.example/~tag~', 'http://localhost:3000/done'),
  'date-or-time': fc.constantFrom(
    ...words('2026-01-01 2026-11-22T00:00:00Z 2020-02-29 2999-01-01T00:00:00+05:00'),
  ),
  centimes: fc.oneof(fc.constant('1'), small.map(String)),
  'page-number': fc.oneof(fc.constant('1'), small.map(String)),
  // Longer waits would slow down the attack.
  'wait-seconds': fc.constantFrom('0', '1'),
  'page-size': fc.oneof(fc.constantFrom('1', '100', '1000'), small.map(String)),
}

const headerNames = words('X-Api-Key Authorization X-~tag~ Cookie __proto__ Host x-service-event')

const byName: Record<string, Values> = {
  headers: fc.dictionary(fc.constantFrom(...headerNames), fc.constantFrom('~tag~', 'a b', 'é'), {
    maxKeys: 3,
  }),
  productId: reference('product'),
  variantId: reference('variant'),
  _id: reference('variant'),
  endpointId: reference('endpoint'),
  email: fc.oneof(fc.constantFrom('a@shop.example', 'a+~tag~@shop.example'), text),
}

export function goodValue(schema: Schema, name: string): Values {
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

const goodInteger = ({ minimum: min = 0, maximum: max = 1_000_000 }: Schema): Values =>
  weighted([4, fc.integer({ min: Math.max(min, 1), max: 5 })], [1, fc.integer({ min, max })])

function goodObject(schema: Schema): Values {
  const { properties, required = [], else: unless, additionalProperties, dependencies = {} } = schema
  if (properties === undefined)
    return fc.dictionary(fieldName, goodValue(additionalProperties ?? {}, ''), { maxKeys: 4 })
  const usual = new Set([...required, ...(unless?.required ?? [])])
  const fields = Object.entries(properties).map(([name, inner]) => {
    const weight = usual.has(name) ? 12 : 1
    const optional = weighted([weight, goodValue(inner, name)], [1, fc.constant(undefined)])
    return optional.map((value) => [name, value] as const)
  })
  return fc.tuple(...fields).map((pairs) => {
    const given = pairs.filter(([, value]) => value !== undefined)
    const excluded = given.flatMap(([name]) => Object.keys(dependencies[name]?.properties ?? {}))
    return Object.fromEntries(given.filter(([name]) => !excluded.includes(name)))
  })
}
