import * as fc from 'fast-check'
import type { CallerName, Write } from './model.ts'

/** Around the bounds, plus the sandbox's magic amounts. */
const amounts = [1, 250, 99_901, 99_904, 1_000_000_000, 0, 1_000_000_001]
const rarely = <T>(...values: T[]) => sometimes(1, values)
const often = <T>(...values: T[]) => sometimes(5, values)
const sometimes = <T>(weight: number, values: T[]) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight, arbitrary: fc.constantFrom(...values) },
  )

const by = fc.oneof(
  { weight: 7, arbitrary: fc.constant<CallerName>('till') },
  { weight: 3, arbitrary: fc.constantFrom<CallerName[]>('office', 'stranger', 'live') },
)
/** One of the first few intents, so that much happens to each. */
export const to = fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 2 }) }, fc.integer({ min: 3, max: 5 }))
const bodies = {
  create: fc.record({
    amount: fc.oneof({ weight: 3, arbitrary: fc.constant(50_000) }, often(...amounts)),
    amountType: often('FIXED', 'OPEN', 'OPEN', 'BOTH'),
    merchantReference: often('a', 'b'),
  }),
  cancel: fc.constant({}),
  simulate: fc.record({
    amount: rarely(50_000, 700, 99_904),
    outcome: rarely('success', 'insufficient_funds', 'technical_error'),
  }),
  refund: fc.record({ amount: often(1, 100, 49_999, 50_001), expectedRefundable: rarely(50_000, 49_900) }),
}

const write = (what: Write['what'], key: fc.Arbitrary<string>): fc.Arbitrary<Write> =>
  fc
    .record({ what: fc.constant(what), by, key, to, body: bodies[what] as fc.Arbitrary<object> })
    .map((made) => JSON.parse(JSON.stringify(made)))

const changes = (key: fc.Arbitrary<string>) =>
  fc.oneof(write('simulate', key), write('refund', key), write('refund', key), write('cancel', key))

export const writes = (key: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 1, arbitrary: write('create', key) }, { weight: 3, arbitrary: changes(key) })

export const rivals = (key: fc.Arbitrary<string>): fc.Arbitrary<[Write, Write]> =>
  fc.tuple(changes(key), changes(key)).map(([one, other]) => [one, Object.assign(other, { to: toOf(one) })])

const toOf = (one: Write): number => (one.what === 'create' ? 0 : one.to)
const others: Record<Write['what'], object> = {
  create: { label: 'something else' },
  simulate: { payerPhone: '22000001' },
  refund: { reason: 'something else' },
  cancel: { reason: 'something else' },
}

export const twins = (key: fc.Arbitrary<string>): fc.Arbitrary<[Write, Write]> =>
  fc.tuple(writes(key), fc.boolean()).map(([one, isOther]) => {
    const body = { ...one.body, ...others[one.what] }
    return [one, (isOther ? { ...one, body } : one) as Write]
  })
