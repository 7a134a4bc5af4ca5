import * as fc from 'fast-check'
import type { CallerName, Write } from './asked.ts'

/** Around the bounds, and the magic amounts of the sandbox. */
const amounts = [1, 250, 50_000, 99_901, 99_904, 1_000_000_000, 0, 1_000_000_001]
const ordinary = fc.constantFrom(50_000, 250, 1)
const perhaps = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
/** Mostly somebody who may. */
const by = fc.constantFrom<CallerName[]>(
  'till',
  'till',
  'till',
  'till',
  'office',
  'office',
  'stranger',
  'live',
)
/** The first few, so that much happens to each. */
export const to = fc.nat({ max: 4 })

const withoutUndefined = <T extends object>(body: T) => JSON.parse(JSON.stringify(body)) as Write['body']
const bodies = {
  create: fc.record({
    amount: fc.oneof({ weight: 3, arbitrary: ordinary }, perhaps(fc.constantFrom(...amounts))),
    amountType: perhaps(fc.constantFrom('FIXED', 'OPEN', 'OPEN', 'BOTH')),
  }),
  cancel: fc.constant({}),
  simulate: fc.record({
    amount: fc.option(fc.constantFrom(50_000, 700, 99_904), { nil: undefined, freq: 6 }),
    outcome: perhaps(fc.constantFrom('success', 'success', 'insufficient_funds', 'technical_error')),
  }),
  refund: fc.record({
    amount: perhaps(fc.constantFrom(1, 100, 249, 49_999, 50_001)),
    expectedRefundable: fc.option(fc.constantFrom(50_000, 49_900), { nil: undefined, freq: 6 }),
  }),
}

/** Any write with one of these idempotency keys. */
export const writes = (key: fc.Arbitrary<string>): fc.Arbitrary<Write> =>
  fc
    .constantFrom(
      'create' as const,
      'create' as const,
      'simulate' as const,
      'cancel' as const,
      'refund' as const,
      'refund' as const,
    )
    .chain((what) =>
      fc.record({ what: fc.constant(what), by, key, to, body: bodies[what].map(withoutUndefined) }),
    ) as fc.Arbitrary<Write>

/** The same request again, or with other parameters. */
export const again = (write: fc.Arbitrary<Write>) =>
  write.chain((one) =>
    fc.tuple(
      fc.constant(one),
      fc
        .option(bodies[one.what].map(withoutUndefined), { nil: one.body })
        .map((body) => ({ ...one, body }) as Write),
    ),
  )
