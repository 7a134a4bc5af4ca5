import { expect } from 'chai'
import { mostPageBytes } from '../../src/page-bytes.ts'
import { createIntent } from '../support/acts.ts'
import { type House, type Merchant, openHouse } from '../support/house.ts'

const intents = '/api/v1/dev/intents'

describe('A business whose intents have 1 000 refunds', () => {
  let house: House
  let merchant: Merchant
  before(async () => {
    house = await openHouse()
    merchant = await house.merchant()
    const referenceNumbers = await Promise.all(
      Array.from({ length: 40 }, async () => (await createIntent(house, merchant)).referenceNumber),
    )
    const at = house.clock.now()
    const refunds = Array.from({ length: 1_000 }, (_, n) => ({
      id: `RF-${n}`,
      amount: 1,
      reason: '\u00e9'.repeat(400),
      status: 'SUCCEEDED',
      effectId: String(n),
      createdAt: at,
      validUntil: at,
    }))
    await house.deps.Intent.updateMany({ referenceNumber: { $in: referenceNumbers } }, { $set: { refunds } })
  })
  after(() => house.close())

  const get = (path: string) => house.http.get(`${intents}${path}`).set(merchant.read())

  it('gets pages of some of them, one after the other', async () => {
    for (let page = 1; page <= 4; page += 1) {
      const { status, body } = await get(`?limit=10&page=${page}`)
      expect([status, body.data?.items.length], JSON.stringify(body.error)).to.deep.equal([200, 10])
    }
  })

  for (const query of ['?limit=40', '?limit=40&status=PENDING'])
    it(`is told to request fewer of them: ${query}`, async () => {
      const { status, body, headers } = await get(query)
      expect([status, headers['retry-after']]).to.deep.equal([429, '1'])
      expect(body.error).to.deep.include({
        code: 'RATE_LIMITED',
        message: 'This page is too large. Request fewer items with `limit`.',
        details: { scope: 'responses', limit: mostPageBytes },
      })
    })
})
