import { expect } from 'chai'
import { type House, openHouse } from '../support/house.ts'

describe('POST /dev/intents', () => {
  let house: House
  before(async () => {
    house = await openHouse()
  })
  after(() => house.close())

  it('answers 201 with every field of the created intent', async () => {
    const merchant = await house.merchant()
    const { status, body } = await house.http
      .post('/api/v1/dev/intents')
      .set(merchant.write())
      .send({ amount: 50_000 })
    expect(status).to.equal(201)
    expect(body.data).to.include({
      amount: 50_000,
      amountType: 'FIXED',
      currency: 'MRU',
      status: 'PENDING',
      sandbox: true,
    })
  })
})
