import { readIntent, requestIntent } from '../support/actions.ts'
import { intents, withAnotherKey, withServiceAndMerchantPerTest } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const [hour, day] = [3_600_000, 86_400_000]

type Item = { referenceNumber: string; status: string; createdAt: string }

describe('GET /dev/intents', () => {
  const { service, merchant } = withServiceAndMerchantPerTest()
  afterEach(() => service.clock.freeze(null))
  const list = (query = '') => service.http.get(`${intents}?${query}`).set(merchant.read())
  const listed = async (query = '') => {
    const { status, body } = await list(query)
    expect(status, JSON.stringify(body)).to.equal(200)
    return body.data as { items: Item[]; page: number; limit: number; total: number; hasMore: boolean }
  }
  const references = async (query = '') => (await listed(query)).items.map((item) => item.referenceNumber)
  async function create(at?: Date): Promise<string> {
    if (at !== undefined) service.clock.freeze(at)
    return (await requestIntent(service, merchant)).referenceNumber
  }
  const inNext = (offset: number) => new Date(Math.ceil(Date.now() / day) * day + day + offset)

  it('returns up to 20 intents by default, each exactly as a retrieval returns it', async () => {
    expect(await listed()).to.deep.equal({ items: [], page: 1, limit: 20, total: 0, hasMore: false })
    const read = await readIntent(service, merchant, await create())
    expect((await listed()).items).to.deep.equal([read])
  })

  it('returns each intent exactly once across all pages, even if all have the same creation time', async () => {
    service.clock.freeze(inNext(0))
    const made = new Set(await Promise.all(Array.from({ length: 25 }, () => create())))
    const seen: string[] = []
    for (let page = 1, hasMore = true; hasMore; page += 1) {
      const response = await listed(`page=${page}&limit=7`)
      expect(response).to.include({ page, limit: 7, total: 25 })
      seen.push(...response.items.map((item) => item.referenceNumber))
      hasMore = response.hasMore
    }
    expect(seen).to.have.lengthOf(25)
    expect(new Set(seen)).to.deep.equal(made)
    expect(await references('limit=100')).to.deep.equal(seen)
    for (const query of ['page=5&limit=5', 'limit=25'])
      expect(await listed(query)).to.include({ hasMore: false, total: 25 })
  })

  it('returns no items beyond the last page, and at most 100 on any page', async () => {
    await create()
    for (const page of [2, 999_999_999_999_999])
      expect(await listed(`page=${page}`)).to.deep.include({ items: [], total: 1, hasMore: false, page })
    for (const limit of [1, 100]) expect(await listed(`limit=${limit}`)).to.include({ limit })
    for (const limit of ['101', '99999999999999999999'])
      expect(await listed(`limit=${limit}`)).to.include({ limit: 100 })
  })

  it('returns the newest first, between the dates or date-times in from and to', async () => {
    const midnight = inNext(0)
    const at = (ms: number) => new Date(midnight.getTime() + ms)
    const first = await create(at(0))
    const last = await create(at(day - 1))
    const next = await create(at(day))
    const dayBefore = await create(at(-1))
    const date = midnight.toISOString().slice(0, 10)
    const exact = midnight.toISOString()
    const cases: [query: string, ...found: string[]][] = [
      ['', next, last, first, dayBefore],
      [`from=${date}&to=${date}`, last, first],
      [`from=${date}`, next, last, first],
      [`to=${date}`, last, first, dayBefore],
      [`from=${exact}&to=${exact}`, first],
      [`to=${date}T00:00:00Z`, first, dayBefore],
      [`from=${date}T00:00:00.001Z`, next, last],
      [`to=${date}T02:00:00%2B02:00`, first, dayBefore],
      [`to=${date}T00:00`, first, dayBefore],
      [`from=${date}&to=${date}&limit=1&page=2`, first],
    ]
    for (const [query, ...found] of cases) expect(await references(query), query).to.deep.equal(found)
  })

  it('returns 400 VALIDATION_ERROR naming the parameter that is invalid or repeated, or whose range is reversed', async () => {
    const wrong: [param: string, ...values: string[]][] = [
      ['page', '0', '-1', '1.5', 'x', '', '1e3', '%201', '99999999999999999999', '1&page=1'],
      ['limit', '0', '-5', '2.0', 'all', '', '1&limit=2'],
      ['status', 'pending', 'EXPIRED', '', 'PENDING,PAID', 'PENDING&status=PAID'],
      ['from', 'yesterday', '', '2026-02-30', '2026-13-01', '20260101', '1767225600', '2026-01-01T25:00Z'],
      ['from', '2026-01-01&from=2026-01-02', '2026-01-02&to=2026-01-01'],
      ['from', '2026-01-01T00:00:01Z&to=2026-01-01T00:00:00Z'],
      ['to', '2026-01-01&to=2026-01-02'],
      ['to', '2026-1-1', '2026-01-01T00:00:00+99:00', '2026-01-01 00:00', 'null'],
      ['paidFrom', '2026-01-02&paidTo=2026-01-01'],
      ['refundedFrom', '2026-01-02&refundedTo=2026-01-01'],
      ['minAmount', '2&maxAmount=1'],
    ]
    for (const name of ['paidFrom', 'paidTo', 'refundedFrom', 'refundedTo'])
      wrong.push([name, 'yesterday', '2026-02-30', '', `2026-01-01&${name}=2026-01-01`])
    for (const name of ['minAmount', 'maxAmount'])
      wrong.push([name, '-1', '1.5', '', 'x', '9999999999999999', `1&${name}=1`])
    for (const [param, ...values] of wrong)
      for (const value of values)
        await expectRefused(list(`${param}=${value}`), 400, 'VALIDATION_ERROR', { param })
  })

  it('reports all invalid parameters in one response', async () => {
    const { body } = await list('page=0&limit=0&status=x&from=x&to=x').expect(400)
    const params = body.error.details.map((fault: { param: string }) => fault.param)
    expect(params).to.deep.equal(['status', 'from', 'to', 'page', 'limit'])
    expect(body.error.param).to.equal('status')
  })

  describe('with a range', () => {
    const midnight = inNext(0)
    const at = (ms: number) => new Date(midnight.getTime() + ms)
    const date = (ms: number) => at(ms).toISOString().slice(0, 10)
    const foundAll = async (query: string): Promise<string[]> => {
      const { items, total } = await listed(query)
      expect(total, query).to.equal(items.length)
      return items.map((item) => item.referenceNumber)
    }
    const post = async (path: string, body: object, when: Date) => {
      service.clock.freeze(when)
      const { status, body: response } = await service.http.post(path).set(merchant.write()).send(body)
      expect(status, JSON.stringify(response)).to.be.within(200, 201)
      return response.data.referenceNumber as string
    }
    const createAt = (body: object, when = at(0)) => post(intents, body, when)
    const pay = (reference: string, when = at(0), body = {}) =>
      post(`${intents}/${reference}/simulate-payment`, body, when)
    const refund = (reference: string, amount: number, when: Date) =>
      post(`${intents}/${reference}/refund`, { amount }, when)

    it('returns the intents paid from paidFrom to paidTo, newest first', async () => {
      const [early, late, , other] = [
        await createAt({ amount: 5 }),
        await createAt({ amount: 5 }, at(hour)),
        await createAt({ amount: 5 }, at(2 * hour)),
        await createAt({ amount: 5 }, at(3 * hour)),
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
      for (const [query, ...wanted] of cases) expect(await foundAll(query), query).to.deep.equal(wanted)
      await refund(early, 5, at(2 * day))
      expect(await foundAll(`paidTo=${date(day)}&status=PAID`)).to.deep.equal([other, late])
      expect(await foundAll(`paidTo=${date(day)}&status=REFUNDED`)).to.deep.equal([early])
      const live = await withAnotherKey(service, merchant, { mode: 'live' })
      const inLive = await service.http.get(`${intents}?paidFrom=2020-01-01`).set(live.read()).expect(200)
      expect(inLive.body.data.total).to.equal(0)
    })

    it('returns the intents with any refund between refundedFrom and refundedTo', async () => {
      const [one, many, none] = [
        await createAt({ amount: 9 }),
        await createAt({ amount: 9 }, at(1)),
        await createAt({ amount: 9 }, at(2)),
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
      for (const [query, ...wanted] of cases) expect(await foundAll(query), query).to.deep.equal(wanted)
    })

    it('compares minAmount and maxAmount with the paid amount, or with the fixed amount if unpaid', async () => {
      const fixed = await createAt({ amount: 500 })
      const paid = await createAt({ amount: 700 }, at(1))
      await pay(paid)
      const open = await createAt({ amountType: 'OPEN', amount: 600 }, at(2))
      const chosen = await createAt({ amountType: 'OPEN', amount: 600 }, at(3))
      const cases = [
        ['minAmount=600', paid],
        ['minAmount=500&maxAmount=699', fixed],
        ['maxAmount=0'],
        ['minAmount=0', paid, fixed],
        ['minAmount=700&status=PAID', paid],
        ['maxAmount=500&status=PENDING', fixed],
      ] as const
      for (const [query, ...wanted] of cases) expect(await foundAll(query), query).to.deep.equal(wanted)
      await pay(chosen, at(hour), { amount: 650 })
      expect(await foundAll('minAmount=600')).to.deep.equal([chosen, paid])
      expect(await foundAll('minAmount=650&maxAmount=650&status=PAID')).to.deep.equal([chosen])
      service.clock.freeze(at(3 * day))
      expect(await foundAll('minAmount=1&status=CANCELLED')).to.deep.equal([fixed])
      expect(await foundAll('')).to.include(open)
    })

    it('names %2B if an offset lost its + on the way', async () => {
      for (const lost of ['2026-11-21T12:00:00 00:00', '2026-11-21T12:00 0100']) {
        const refused = list(`from=${lost.replaceAll(' ', '+')}`)
        const { body } = await expectRefused(refused, 400, 'VALIDATION_ERROR', { param: 'from' })
        expect(body.error.message).to.include('write + as %2B')
      }
      const other = list('from=2026-11-21+12:00')
      const { body } = await expectRefused(other, 400, 'VALIDATION_ERROR', { param: 'from' })
      expect(body.error.message).to.include('ISO 8601')
    })

    it("returns 400 VALIDATION_ERROR for two ranges that can't be combined", async () => {
      const cases = [
        ['paidFrom=2026-01-01&refundedTo=2026-01-01', 'refundedTo'],
        ['minAmount=1&paidTo=2026-01-01', 'minAmount'],
        ['refundedFrom=2026-01-01&maxAmount=1', 'maxAmount'],
      ] as const
      for (const [query, param] of cases) {
        const { body } = await expectRefused(list(query), 400, 'VALIDATION_ERROR', { param })
        expect(body.error.message).to.include('Limit the list by payment time')
      }
      const both = list('minAmount=1&merchantReference=a')
      await expectRefused(both, 400, 'VALIDATION_ERROR', { param: 'minAmount' })
    })
  })
})
