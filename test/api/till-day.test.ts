import type { Caller } from '../../src/businesses/caller.ts'
import { createIntent, parseNewIntent } from '../../src/intents/create.ts'
import type { TillSum } from '../../src/intents/till-day.ts'
import { dayMs, hourMs, startOfUtcDay, toUtcDay, utcDayNumber } from '../../src/platform/time.ts'
import { tillDayRead } from '../../src/till/day.ts'
import { callerOf } from '../support/caller.ts'
import { intents, type Merchant, withService } from '../support/service.ts'
import { newRequest } from '../support/write-request.ts'

interface TillPage {
  items: { referenceNumber: string; personId: string; status: string; type: string }[]
  total: number
  hasMore: boolean
  sums: TillSum[]
}

describe('The day of a till', () => {
  const service = withService()
  let shop: Merchant
  let other: Merchant
  beforeEach(async () => {
    ;[shop, other] = await Promise.all([service.merchant(), service.merchant()])
    service.clock.freeze(
      new Date(startOfUtcDay(utcDayNumber(service.clock.now()) + 1).getTime() + 10 * hourMs),
    )
  })
  afterEach(() => service.clock.freeze(null))

  const person = (id: string): Caller => ({
    ...callerOf(shop),
    keyId: `${id}.${shop.businessId}`,
    person: { id, name: `${id}@example.com`, expectValid: async () => undefined },
  })
  async function create(caller: Caller, amount: number): Promise<string> {
    const input = parseNewIntent(service.deps, true, { amount })
    const made = await createIntent(service.deps, caller, input, newRequest(service.deps))
    return ((made as { data: unknown }).data as { referenceNumber: string }).referenceNumber
  }
  const post = (reference: string, act: string, body: object = {}) =>
    service.http.post(`${intents}/${reference}/${act}`).set(shop.write()).send(body).expect(200)
  const pay = (reference: string) => post(reference, 'simulate-payment')
  const read = async (query: Record<string, string> = {}, merchant = shop): Promise<TillPage> =>
    (await tillDayRead.run(
      service.deps,
      callerOf(merchant),
      { params: {}, query, body: undefined },
      performance.now() + 10_000,
    )) as never
  const references = ({ items }: TillPage) => items.map(({ referenceNumber }) => referenceNumber)

  it('shows the type TILL only for intents that a person created', async () => {
    const till = await create(person('awa'), 500)
    const api = await create(callerOf(shop), 500)
    const ofApi = async (path: string) =>
      (await service.http.get(path).set(shop.read()).expect(200)).body.data
    expect((await ofApi(`${intents}/${till}`)).type).to.equal('TILL')
    expect((await ofApi(`${intents}/${api}`)).type).to.equal('API')
    const { items } = await ofApi(intents)
    expect(items.map(({ type }: { type: string }) => type).toSorted()).to.deep.equal(['API', 'TILL'])
    expect((await pay(till)).body.data.type).to.equal('TILL')
  })

  it('sums what each person took, less refunds, by the day of the payment', async () => {
    const [first, second, third, unpaid] = [
      await create(person('awa'), 1_000),
      await create(person('awa'), 300),
      await create(person('baba'), 50),
      await create(person('awa'), 77),
    ]
    await pay(await create(callerOf(shop), 9_999))
    for (const reference of [first, second, third]) {
      service.clock.advance(1000)
      await pay(reference)
    }
    const day = toUtcDay(service.clock.now())
    service.clock.advance(dayMs)
    await post(first, 'refund', { amount: 400 })
    const today = await read()
    expect([today.total, today.sums]).to.deep.equal([0, []])
    const paid = await read({ day })
    expect(references(paid)).to.deep.equal([third, second, first])
    expect(paid.items.map(({ personId }) => personId)).to.deep.equal(['baba', 'awa', 'awa'])
    expect(paid.sums).to.deep.equal([
      { personId: 'awa', payments: 2, paid: 1_300, refunded: 400 },
      { personId: 'baba', payments: 1, paid: 50, refunded: 0 },
    ])
    const last = await read({ day, page: '2', limit: '2' })
    expect([references(last), last.total, last.hasMore]).to.deep.equal([[first], 3, false])
    expect(last.sums, 'of all pages').to.deep.equal(paid.sums)
    const open = await read({ day, of: 'unpaid' })
    expect(open.items.map(({ referenceNumber, status }) => [referenceNumber, status])).to.deep.equal([
      [unpaid, 'CANCELLED'],
    ])
    expect(await read({ day }, other)).to.deep.include({ total: 0, sums: [] })
  })

  it('counts a payment after midnight on the next day', async () => {
    service.clock.advance(14 * hourMs - 1)
    const [reference, day] = [await create(person('awa'), 100), toUtcDay(service.clock.now())]
    expect(references(await read({ of: 'unpaid' }))).to.deep.equal([reference])
    service.clock.advance(1)
    await pay(reference)
    expect(await read({ day })).to.deep.include({ total: 0, sums: [] })
    expect(await read({ day, of: 'unpaid' })).to.deep.include({ total: 0 })
    expect(references(await read())).to.deep.equal([reference])
  })

  it('refuses a day that is none, and one in the future', async () => {
    for (const day of ['2026-02-30', '2999-01-01', '']) {
      const error = await read({ day }).catch((thrown: unknown) => thrown)
      expect(error)
        .to.deep.include({ code: 'VALIDATION_ERROR' })
        .and.to.have.nested.property('extras.param', 'day')
    }
  })
})
