import { expect } from 'chai'
import { withAnotherKey, withMerchantPerTest, withService } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const intents = '/api/v1/dev/intents'
const [hour, day] = [3_600_000, 86_400_000]

describe('GET /dev/intents with a range', () => {
  const service = withService()
  const merchant = withMerchantPerTest(service)
  afterEach(() => service.clock.freeze(null))
  const midnight = new Date(Math.ceil(Date.now() / day) * day + day)
  const at = (ms: number) => new Date(midnight.getTime() + ms)
  const date = (ms: number) => at(ms).toISOString().slice(0, 10)

  const list = (query: string) => service.http.get(`${intents}?${query}`).set(merchant.read())
  const found = async (query: string): Promise<string[]> => {
    const { status, body } = await list(query)
    expect(status, JSON.stringify(body)).to.equal(200)
    const { items, total } = body.data
    expect(total, query).to.equal(items.length)
    return items.map(({ referenceNumber }: { referenceNumber: string }) => referenceNumber)
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
      expect(body.error.message).to.include('Limit the list by the time of payment')
    }
    const both = list('minAmount=1&merchantReference=a')
    await expectRefused(both, 400, 'VALIDATION_ERROR', { param: 'minAmount' })
  })

  it('returns 400 VALIDATION_ERROR naming the parameter that is invalid or repeated, or whose range is reversed', async () => {
    const times = ['paidFrom', 'paidTo', 'refundedFrom', 'refundedTo'].map((name) => {
      return [name, 'yesterday', '2026-02-30', '', `2026-01-01&${name}=2026-01-01`]
    })
    const amounts = ['minAmount', 'maxAmount'].map((name) => {
      return [name, '-1', '1.5', '', 'x', '9999999999999999', `1&${name}=1`]
    })
    const reversed = [
      ['paidFrom', '2026-01-02&paidTo=2026-01-01'],
      ['refundedFrom', '2026-01-02&refundedTo=2026-01-01'],
      ['minAmount', '2&maxAmount=1'],
    ]
    for (const [param = '', ...values] of [...times, ...amounts, ...reversed])
      for (const value of values)
        await expectRefused(list(`${param}=${value}`), 400, 'VALIDATION_ERROR', { param })
  })
})
