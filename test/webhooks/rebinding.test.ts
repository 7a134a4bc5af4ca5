import { expect } from 'chai'
import { attempt, freshDelivery, stored } from '../support/acts.ts'
import { type House, openHouse } from '../support/house.ts'
import { answering, sender, stopAll } from './sending.ts'

describe('A name that is public when it is registered', () => {
  let house: House
  before(async () => {
    house = await openHouse()
  })
  after(() => house.close())
  afterEach(stopAll)

  it('but private at the attempt gets nothing: the attempt fails at the stage "address", and counts', async () => {
    const receiver = await answering()
    const merchant = await house.merchant()
    const made = await house.http
      .post('/api/v1/dev/webhooks/endpoints')
      .set(merchant.write())
      .send({ url: `https://rebind.example.com:${receiver.port}/`, events: ['payment.created'] })
    expect(made.status).to.equal(201)
    const delivery = await freshDelivery(house, merchant)
    const rebound = sender([], { resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    await attempt({ ...house.deps, sender: rebound }, delivery._id)
    const { status, attempts, attemptLog } = await stored(house, delivery)
    expect({ status, attempts }).to.deep.equal({ status: 'RETRYING', attempts: 1 })
    expect(attemptLog[0]).to.include({ stage: 'address', status: null, answer: null })
    expect(receiver.connections).to.have.length(0)
  })
})
