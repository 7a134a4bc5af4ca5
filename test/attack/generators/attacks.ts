import * as fc from 'fast-check'
import { contentEncodings, idempotencyKeys, oddHeaders, oddMethods } from '../corpora/headers.ts'
import {
  acceptedRequests,
  pipelinedRequests,
  refusedRequests,
  unfinishedRequests,
} from '../corpora/raw-requests.ts'
import { type Target, targets } from '../targets/target.ts'
import { type Attack, type Raw, type Scene, type Site, sites } from './attack.ts'
import { bodyFor } from './bodies.ts'
import { lineFor } from './lines.ts'
import { plainAttack } from './plain.ts'
import { races } from './races.ts'
import { weighted } from './weighted.ts'

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
  [1, fc.array(fc.constantFrom(...oddHeaders), { minLength: 1, maxLength: 4 })],
  [1, fc.constantFrom(...contentEncodings).map((coding) => [['Content-Encoding', coding] as const])],
)

function attackOn(target: Target): fc.Arbitrary<Attack> {
  return fc
    .record({
      line: lineFor(target),
      typed: bodyFor(target.body),
      method: weighted(
        [24, fc.constant(target.method)],
        [1, fc.constant('HEAD')],
        [1, fc.constantFrom(...oddMethods)],
      ),
      headers,
      idempotencyKey: weighted([10, fc.constant('~tag~')], [1, fc.constantFrom(...idempotencyKeys)]),
      isChunked: weighted([12, fc.constant(false)], [1, fc.constant(true)]),
      ...sender,
    })
    .map(({ typed, ...rest }) => ({ ...rest, ...typed, target: target.name, raw: null }))
}

const raws: readonly Raw[] = [
  ...refusedRequests.map((text) => ({ text, expected: ['refused'] as const })),
  ...acceptedRequests,
  ...unfinishedRequests.map((text) => ({ text, expected: [] })),
  ...pipelinedRequests,
]

const bytes: fc.Arbitrary<Attack> = fc
  .record({
    raw: weighted([5, fc.constantFrom(...raws)], [1, noise()]),
    ...sender,
  })
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

/** Operations come more often than pages, because they move money. */
const one: fc.Arbitrary<Attack> = weighted(
  ...targets.map((target): [number, fc.Arbitrary<Attack>] => [target.by === 'key' ? 6 : 3, attackOn(target)]),
  [8, bytes],
)

/** Concurrent requests with one idempotency key, mostly with different bodies. */
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

const scene: fc.Arbitrary<Scene> = weighted(
  [60, one.map((attack) => ({ oneAtATime: [attack], atOnce: [] }))],
  [2, sameKey],
  [2, races],
)

/** Scenes per volley, and about as many requests. */
export const volleySize = 100

export const volley = (seed: number, number: number): Scene[] =>
  fc.sample(scene, { seed: seed + number * 7919, numRuns: volleySize })
