import { expect } from 'chai'
import { readIntent, requestIntent } from '../support/actions.ts'
import { withMerchantPerTest, withService } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const intents = '/api/v1/dev/intents'
const day = 24 * 3_600_000

interface Item {
  referenceNumber: string
  status: string
  createdAt: string
}

describe('GET /dev/intents', () => {
  const service = withService()
  const merchant = withMerchantPerTest(service)
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

  it('returns an empty page with the default limit of 20 if there are no intents', async () => {
    expect(await listed()).to.deep.equal({ items: [], page: 1, limit: 20, total: 0, hasMore: false })
  })

  it('returns each intent exactly as a retrieval returns it', async () => {
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

  it('returns no items beyond the last page', async () => {
    await create()
    for (const page of [2, 999_999_999_999_999])
      expect(await listed(`page=${page}`)).to.deep.include({ items: [], total: 1, hasMore: false, page })
  })

  it('caps limit at 100 and returns the limit that it used', async () => {
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
    ]
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
})
