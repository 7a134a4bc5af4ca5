import * as fc from 'fast-check'
import { contentEncodings, idempotencyKeys, oddHeaders, oddMethods } from '../corpora/headers.ts'
import {
  pipelinedRequests,
  refusedRequests,
  takenRequests,
  unfinishedRequests,
} from '../corpora/raw-requests.ts'
import { type Target, targets } from '../targets/target.ts'
import { type Attack, type Raw, type Scene, type Site, sites } from './attack.ts'
import { bodyFor } from './bodies.ts'
import { lineFor } from './lines.ts'
import { races } from './races.ts'

const rarely = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd })

const byte = fc.nat({ max: 255 })
export const sender = {
  actor: fc.nat({ max: 1_000_000 }),
  staff: fc.nat({ max: 1_000_000 }),
  badAuthorization: fc.nat({ max: 1_000_000 }),
  site: rarely<Site>(fc.constant('own'), fc.constantFrom(...sites), 4),
  from: fc.tuple(byte, byte),
}

const headers = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...oddHeaders), { minLength: 1, maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...contentEncodings).map((coding) => [['Content-Encoding', coding] as const]),
  },
)

/** Requests to one target that are nearly valid. */
function attackOn(target: Target): fc.Arbitrary<Attack> {
  return fc
    .record({
      line: lineFor(target),
      typed: bodyFor(target.body),
      method: fc.oneof(
        { weight: 24, arbitrary: fc.constant(target.method) },
        { weight: 1, arbitrary: fc.constant('HEAD') },
        { weight: 1, arbitrary: fc.constantFrom(...oddMethods) },
      ),
      headers,
      idempotencyKey: rarely(fc.constant('~mark~'), fc.constantFrom(...idempotencyKeys), 10),
      isChunked: rarely(fc.constant(false), fc.constant(true), 12),
      ...sender,
    })
    .map(({ typed, ...rest }) => ({ ...rest, ...typed, target: target.name, raw: null }))
}

const raws: readonly Raw[] = [
  ...refusedRequests.map((text) => ({ text, dues: ['refused'] as const })),
  ...takenRequests,
  ...unfinishedRequests.map((text) => ({ text, dues: [] })),
  ...pipelinedRequests,
]

const bytes: fc.Arbitrary<Attack> = fc
  .record({
    raw: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...raws) }, { weight: 1, arbitrary: noise() }),
    ...sender,
  })
  .map((made) => ({
    ...made,
    target: 'bytes',
    method: '',
    line: '',
    headers: [],
    idempotencyKey: null,
    contentType: null,
    body: null,
    isChunked: false,
  }))

function noise(): fc.Arbitrary<Raw> {
  return fc
    .uint8Array({ minLength: 1, maxLength: 400 })
    .map((some) => ({ text: Buffer.from(some).toString('latin1'), dues: [] }))
}

/** Operations come more often than pages, because they move money. */
const one: fc.Arbitrary<Attack> = fc.oneof(
  ...targets.map((target) => ({ weight: target.by === 'key' ? 6 : 3, arbitrary: attackOn(target) })),
  { weight: 8, arbitrary: bytes },
)

/** Concurrent requests with one idempotency key, mostly with different bodies. */
const sameKey: fc.Arbitrary<Scene> = fc
  .constantFrom(...targets.filter(({ method, by }) => by === 'key' && method !== 'GET'))
  .chain((target) =>
    fc.tuple(fc.array(attackOn(target), { minLength: 2, maxLength: 4 }), fc.nat({ max: 1_000_000 })),
  )
  .map(([some, actor]) => {
    const { method = '', line = '' } = some[0] ?? {}
    const alike = some.map((each) => ({ ...each, actor, method, line, idempotencyKey: '~scene~' }))
    return { oneAtATime: [], atOnce: alike }
  })

const scene: fc.Arbitrary<Scene> = fc.oneof(
  { weight: 60, arbitrary: one.map((attack) => ({ oneAtATime: [attack], atOnce: [] })) },
  { weight: 2, arbitrary: sameKey },
  { weight: 2, arbitrary: races },
)

/** The approximate number of requests in a volley. */
export const volleySize = 100

/** The scenes of one volley, determined by the seed and the number. */
export const volley = (seed: number, number: number): Scene[] =>
  fc.sample(scene, { seed: seed + number * 7919, numRuns: volleySize })
