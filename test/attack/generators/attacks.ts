import * as fc from 'fast-check'
import { lines, queries, segments } from '../corpora/addresses-of-requests.ts'
import { csvFiles, multiparts } from '../corpora/csv.ts'
import * as hostile from '../corpora/headers.ts'
import { markup, naughtyStrings } from '../corpora/naughty-strings.ts'
import * as corpus from '../corpora/raw-requests.ts'
import { type Target, type TargetBody, targets } from '../targets/target.ts'
import { type Attack, type Raw, type Scene, type Site, sites } from './attack.ts'
import { goodValue, reference, type Schema } from './good-values.ts'
import { type BodyBytes, jsonBody } from './json-bodies.ts'
import { plainAttack } from './plain.ts'
import { races } from './races.ts'
import { weighted } from './weighted.ts'

export type TypedBody = fc.Arbitrary<{ body: string | Buffer | null; contentType: string | null }>
const oddType = fc.constantFrom(...hostile.contentTypes)
const withType = (body: BodyBytes, usual: string): TypedBody =>
  fc.record({ body, contentType: weighted([12, fc.constant(usual)], [1, oddType]) })
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

/** Pages must escape these. They are frequent, because forms have few fields and show them only next to an error. */
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

export function lineFor(target: Target): fc.Arbitrary<string> {
  const usual = fc
    .tuple(pathOf(target.path), queryOf(target.query))
    .map(([path, query]) => (query === '' ? path : `${path}?${query}`))
  return weighted([40, usual], [1, fc.constantFrom(...lines)])
}

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

const encodeSafely = (text: string): string =>
  text
    .slice(0, 600)
    .toWellFormed()
    .replaceAll(/[^\w.~-]/gu, encodeURIComponent)

const byte = fc.nat({ max: 255 })
export const sender = {
  actor: fc.nat({ max: 1_000_000 }),
  staff: fc.nat({ max: 1_000_000 }),
  badAuthorization: fc.nat({ max: 1_000_000 }),
  site: weighted([4, fc.constant<Site>('own')], [1, fc.constantFrom(...sites)]),
  from: fc.tuple(byte, byte),
}

const headers = weighted(
  [5, fc.constant([])],
  [1, fc.array(fc.constantFrom(...hostile.oddHeaders), { minLength: 1, maxLength: 4 })],
  [1, fc.constantFrom(...hostile.contentEncodings).map((coding) => [['Content-Encoding', coding] as const])],
)

const attackOn = (target: Target): fc.Arbitrary<Attack> =>
  fc
    .record({
      line: lineFor(target),
      typed: bodyFor(target.body),
      method: weighted(
        [24, fc.constant(target.method)],
        [1, fc.constant('HEAD')],
        [1, fc.constantFrom(...hostile.oddMethods)],
      ),
      headers,
      idempotencyKey: weighted([10, fc.constant('~tag~')], [1, fc.constantFrom(...hostile.idempotencyKeys)]),
      isChunked: weighted([12, fc.constant(false)], [1, fc.constant(true)]),
      ...sender,
    })
    .map(({ typed, ...rest }) => ({ ...rest, ...typed, target: target.name, raw: null }))

const raws: readonly Raw[] = [
  ...corpus.refusedRequests.map((text) => ({ text, expected: ['refused'] as const })),
  ...corpus.acceptedRequests,
  ...corpus.unfinishedRequests.map((text) => ({ text, expected: [] })),
  ...corpus.pipelinedRequests,
]

const rawBytes: fc.Arbitrary<Attack> = fc
  .record({ raw: weighted([5, fc.constantFrom(...raws)], [1, noise()]), ...sender })
  .map((generated) => ({
    ...plainAttack({ target: 'bytes', method: '', line: '' }, 0),
    idempotencyKey: null,
    ...generated,
  }))

function noise(): fc.Arbitrary<Raw> {
  return fc
    .uint8Array({ minLength: 1, maxLength: 400 })
    .map((array) => ({ text: Buffer.from(array).toString('latin1'), expected: [] }))
}

const one: fc.Arbitrary<Attack> = weighted(
  ...targets.map((target): [number, fc.Arbitrary<Attack>] => [target.by === 'key' ? 6 : 3, attackOn(target)]),
  [8, rawBytes],
)

const sameKey: fc.Arbitrary<Scene> = fc
  .constantFrom(...targets.filter(({ method, by }) => by === 'key' && method !== 'GET'))
  .chain((target) =>
    fc.tuple(fc.array(attackOn(target), { minLength: 2, maxLength: 4 }), fc.nat({ max: 1_000_000 })),
  )
  .map(([attacks, actor]) => {
    const { method = '', line = '' } = attacks[0] ?? {}
    const atOnce = attacks.map((each) => ({ ...each, actor, method, line, idempotencyKey: '~scene~' }))
    return { oneAtATime: [], atOnce }
  })

const alone = one.map((attack) => ({ oneAtATime: [attack], atOnce: [] }))
const scene: fc.Arbitrary<Scene> = weighted([60, alone], [2, sameKey], [2, races])
export const volleySize = 100
export const volley = (seed: number, number: number): Scene[] =>
  fc.sample(scene, { seed: seed + number * 7919, numRuns: volleySize })
