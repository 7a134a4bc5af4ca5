import { expect } from 'chai'
import type { Intent } from '../../src/intents/intent.ts'
import type { Refund } from '../../src/intents/records.ts'
import { newId } from '../../src/platform/ids.ts'
import { copyIntents, intentTemplate } from '../support/copy-intents.ts'
import { inFull, rounds } from '../support/machine.ts'
import { profiledEach } from '../support/profiled.ts'
import { withAnotherKey, withMerchantPerTest, withService } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const intents = '/api/v1/dev/intents'
const [hour, day] = [3_600_000, 86_400_000]
const referenceOf = ({ referenceNumber }: { referenceNumber: string }): string => referenceNumber

describe('GET /dev/intents with a range', () => {
  const service = withService()
  const merchant = withMerchantPerTest(service)
  afterEach(() => service.clock.freeze(null))
  const midnight = new Date(Math.ceil(Date.now() / day) * day + day)
  const at = (ms: number) => new Date(midnight.getTime() + ms)
  const date = (ms: number) => at(ms).toISOString().slice(0, 10)

  const list = (query: string) => service.http.get(`${intents}?${query}`).set(merchant.read())
  const listed = async (query: string) => {
    const { status, body } = await list(query)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data as {
      items: { referenceNumber: string; status: string }[]
      total: number
      hasMore: boolean
    }
  }
  /** Also checks that the total is exact. */
  const found = async (query: string) => {
    const { items, total } = await listed(query)
    expect(total, query).to.equal(items.length)
    return items.map(referenceOf)
  }
  const post = async (path: string, body: object, when: Date) => {
    service.clock.freeze(when)
    const { status, body: response } = await service.http.post(path).set(merchant.write()).send(body)
    expect(status, JSON.stringify(response)).to.be.within(200, 201)
    return response.data.referenceNumber as string
  }
  const create = (body: object, when = at(0)) => post(intents, body, when)
  const pay = (reference: string, when = at(0), body = {}) =>
    post(`${intents}/${reference}/simulate-payment`, body, when)
  const refund = (reference: string, amount: number, when: Date) =>
    post(`${intents}/${reference}/refund`, { amount }, when)

  it('returns the intents paid from paidFrom to paidTo, newest first', async () => {
    const [early, late, , other] = [
      await create({ amount: 5 }),
      await create({ amount: 5 }, at(hour)),
      await create({ amount: 5 }, at(2 * hour)),
      await create({ amount: 5 }, at(3 * hour)),
    ]
    await pay(late, at(day - 1))
    await pay(early, at(4 * hour))
    await pay(other, at(day))
    const cases: [query: string, ...found: string[]][] = [
      [`paidFrom=${date(0)}`, other, late, early],
      [`paidFrom=${date(0)}&paidTo=${date(0)}`, late, early],
      [`paidTo=${at(day - 2).toISOString()}`, early],
      [`paidFrom=${at(day - 1).toISOString()}&paidTo=${at(day - 1).toISOString()}`, late],
      [`paidTo=${date(0)}&to=${at(0).toISOString()}`, early],
      [`paidFrom=${date(0)}&status=PAID`, other, late, early],
      [`paidFrom=${date(0)}&status=PENDING`],
      [`paidFrom=${date(2 * day)}`],
    ]
    for (const [query, ...references] of cases) expect(await found(query), query).to.deep.equal(references)
    await refund(early, 5, at(2 * day))
    expect(await found(`paidTo=${date(day)}&status=PAID`)).to.deep.equal([other, late])
    expect(await found(`paidTo=${date(day)}&status=REFUNDED`)).to.deep.equal([early])
    const live = await withAnotherKey(service, merchant, { mode: 'live' })
    const inLive = await service.http.get(`${intents}?paidFrom=2020-01-01`).set(live.read()).expect(200)
    expect(inLive.body.data.total).to.equal(0)
  })

  it('returns the intents with any refund between refundedFrom and refundedTo', async () => {
    const [one, many, none] = [
      await create({ amount: 9 }),
      await create({ amount: 9 }, at(1)),
      await create({ amount: 9 }, at(2)),
    ]
    for (const reference of [one, many, none]) await pay(reference, at(hour))
    await refund(one, 9, at(3 * day))
    for (const days of [1, 3, 5]) await refund(many, 1, at(days * day))
    const on = (days: number) => `refundedFrom=${date(days * day)}&refundedTo=${date(days * day)}`
    const cases: [query: string, ...found: string[]][] = [
      [on(0)],
      [on(1), many],
      [on(2)],
      [on(3), many, one],
      [on(4)],
      [on(5), many],
      [`refundedFrom=${date(4 * day)}`, many],
      [`refundedTo=${date(2 * day)}`, many],
      [`refundedFrom=${date(0)}&refundedTo=${date(9 * day)}&status=REFUNDED`, many, one],
      [`refundedTo=${date(9 * day)}&status=PAID`],
      [`${on(3)}&to=${at(0).toISOString()}`, one],
    ]
    for (const [query, ...references] of cases) expect(await found(query), query).to.deep.equal(references)
  })

  it('compares minAmount and maxAmount with the paid amount, or with the fixed amount if unpaid', async () => {
    const fixed = await create({ amount: 500 })
    const paid = await create({ amount: 700 }, at(1))
    await pay(paid)
    const open = await create({ amountType: 'OPEN', amount: 600 }, at(2))
    const chosen = await create({ amountType: 'OPEN', amount: 600 }, at(3))
    const cases = [
      ['minAmount=600', paid],
      ['minAmount=500&maxAmount=699', fixed],
      ['maxAmount=0'],
      ['minAmount=0', paid, fixed],
      ['minAmount=700&status=PAID', paid],
      ['maxAmount=500&status=PENDING', fixed],
    ] as const
    for (const [query, ...references] of cases) expect(await found(query), query).to.deep.equal(references)
    await pay(chosen, at(hour), { amount: 650 })
    expect(await found('minAmount=600')).to.deep.equal([chosen, paid])
    expect(await found('minAmount=650&maxAmount=650&status=PAID')).to.deep.equal([chosen])
    service.clock.freeze(at(3 * day))
    expect(await found('minAmount=1&status=CANCELLED')).to.deep.equal([fixed])
    expect(await found('')).to.include(open)
  })

  it("returns 400 VALIDATION_ERROR for two ranges that can't be combined", async () => {
    const cases = [
      ['paidFrom=2026-01-01&refundedTo=2026-01-01', 'refundedTo'],
      ['minAmount=1&paidTo=2026-01-01', 'minAmount'],
      ['refundedFrom=2026-01-01&maxAmount=1', 'maxAmount'],
    ] as const
    for (const [query, param] of cases) {
      const { body } = await expectRefused(list(query), 400, 'VALIDATION_ERROR', { param })
      expect(body.error.message).to.include('only by one of these')
    }
    const both = list('minAmount=1&merchantReference=a')
    await expectRefused(both, 400, 'VALIDATION_ERROR', { param: 'minAmount' })
  })

  it('returns 400 VALIDATION_ERROR naming the parameter that is invalid or repeated, or whose range is reversed', async () => {
    const wrong: [param: string, ...queries: string[]][] = [
      ...['paidFrom', 'paidTo', 'refundedFrom', 'refundedTo'].map((name): [string, ...string[]] => [
        name,
        ...['yesterday', '2026-02-30', '', `2026-01-01&${name}=2026-01-01`].map(
          (value) => `${name}=${value}`,
        ),
      ]),
      ...['minAmount', 'maxAmount'].map((name): [string, ...string[]] => [
        name,
        ...['-1', '1.5', '', 'x', '9999999999999999', `1&${name}=1`].map((value) => `${name}=${value}`),
      ]),
      ['paidFrom', 'paidFrom=2026-01-02&paidTo=2026-01-01'],
      ['refundedFrom', 'refundedFrom=2026-01-02&refundedTo=2026-01-01'],
      ['minAmount', 'minAmount=2&maxAmount=1'],
    ]
    for (const [param, ...queries] of wrong)
      for (const query of queries) await expectRefused(list(query), 400, 'VALIDATION_ERROR', { param })
  })

  describe('of many intents', () => {
    const many = 120
    let all: Intent[]

    /** Two thirds are paid, with up to seven refunds each. */
    async function fill(): Promise<void> {
      const template = await intentTemplate(service, merchant)
      const copies = await copyIntents(service, template, many, (index) => {
        const createdAt = at((index % 40) * hour)
        const amount = 100 + ((index * 37) % 50)
        const common = { createdAt, amount, listedAmount: amount }
        if (index % 3 === 0) return { ...common, status: 'FAILED', cancelsAt: null }
        const paidAt = new Date(createdAt.getTime() + ((index * 7) % 30) * hour)
        const times = Array.from(
          { length: index % 8 },
          (_none, count) => new Date(paidAt.getTime() + ((count * 11 + index) % 60) * hour),
        ).toSorted((one, other) => one.getTime() - other.getTime())
        const [firstAt, lastAt] = [times[0], times.at(-1)]
        return {
          ...common,
          status: times.length === 0 ? 'PAID' : 'REFUNDED',
          cancelsAt: null,
          payment: { ...payment, amountPaid: amount, paidAt, key: newId() },
          refunds: times.map((refundedAt) => ({
            ...refunded,
            refundedAt,
            createdAt: refundedAt,
            id: refundId(),
          })),
          ...(firstAt === undefined || lastAt === undefined
            ? {}
            : { refundTimes: { firstAt, lastAt, count: times.length } }),
        }
      })
      all = copies.toSorted(
        (one, other) => other.createdAt.getTime() - one.createdAt.getTime() || (one._id < other._id ? 1 : -1),
      )
    }
    const payment = {
      method: 'WALLET',
      payerPhone: '',
      payerHash: '',
      commission: { providerTtc: 0, payerTtc: 0, tof: 0, tte: 0, totalRevenue: 0 },
      wallet: 'simulation',
    } as const
    const refunded = {
      amount: 1,
      returnedFees: { providerTtc: 0, payerTtc: 0 },
      reason: null,
      status: 'SUCCEEDED',
      validUntil: at(0),
    } as const
    const refundId = () =>
      `RF-${newId()
        .replaceAll(/[^0-9A-Z]/g, '')
        .padEnd(16, '0')
        .slice(0, 16)}`

    type Matches = (intent: Intent, from: number, to: number) => boolean
    const inside = (time: Date | undefined, from: number, to: number) =>
      time !== undefined && time >= at(from * hour) && time <= at(to * hour)
    const times = (name: string) => (from: number, to: number) =>
      `${name}From=${at(from * hour).toISOString()}&${name}To=${at(to * hour).toISOString()}`
    const ranges: [query: (from: number, to: number) => string, matches: Matches][] = [
      [times('paid'), ({ payment: paid }, from, to) => inside(paid?.paidAt, from, to)],
      [
        times('refunded'),
        ({ refunds }, from, to) => refunds.some(({ refundedAt }) => inside(refundedAt, from, to)),
      ],
      [
        (from, to) => `minAmount=${100 + from}&maxAmount=${100 + to}`,
        ({ amount }, from, to) => (amount ?? 0) >= 100 + from && (amount ?? 0) <= 100 + to,
      ],
    ]
    const spans = [
      [0, 99, 2],
      [10, 12, 1],
      [30, 45, 1],
      [60, 61, 1],
    ] as const
    const created = `from=${at(5 * hour).toISOString()}&to=${at(30 * hour).toISOString()}`
    const rests: [query: string, matches: (intent: Intent) => boolean][] = [
      ['', () => true],
      ['&status=REFUNDED', ({ status }) => status === 'REFUNDED'],
      [`&${created}`, ({ createdAt }) => createdAt >= at(5 * hour) && createdAt <= at(30 * hour)],
    ]

    it('returns exact pages and totals without reading other intents', async () => {
      await fill()
      // Two of the four ranges, combined with each pair of the others, cover all pairs.
      const cases = ranges.flatMap(([query, matches], which) =>
        rests.flatMap(([rest, also], step) => {
          const first = which + step + inFull(2, 0)
          return [...spans, ...spans].slice(first, first + rounds(4, 2)).map(([from, to, page]) => ({
            url: `${query(from, to)}${rest}&limit=7&page=${page}`,
            wanted: all.filter((intent) => matches(intent, from, to) && also(intent)),
            page,
            // With three or more refunds, an intent is also read if the range lies between them.
            around: all.filter(({ refunds }) => which === 1 && isAround(refunds, from, to)),
          }))
        }),
      )
      const pages = await profiledEach(service, 'intents', cases, ({ url }) => listed(url))
      for (const { input, result, examined } of pages) {
        const { url, wanted, page, around } = input
        const slice = wanted.slice((page - 1) * 7, page * 7)
        expect(result.items.map(referenceOf), url).to.deep.equal(slice.map(referenceOf))
        expect(result, url).to.include({ total: wanted.length, hasMore: wanted.length > page * 7 })
        expect(examined, url).to.be.at.most(slice.length + 1 + around.length)
      }
    })

    const isAround = (refunds: Refund[], from: number, to: number): boolean =>
      refunds.length > 2 &&
      (refunds[0]?.refundedAt ?? 0) < at(from * hour) &&
      (refunds.at(-1)?.refundedAt ?? 0) > at(to * hour)
  })
})
