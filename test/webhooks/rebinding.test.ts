import { expect } from 'chai'
import { attempt, freshDelivery, storedDelivery } from '../support/actions.ts'
import { withService } from '../support/service.ts'
import { okEndpoint, sender, stopAll } from './sending.ts'

describe('A name that is public when it is registered', () => {
  const service = withService()
  afterEach(stopAll)

  it('but private at the attempt gets nothing: the attempt fails at the stage "address", and counts', async () => {
    const endpointServer = await okEndpoint()
    const merchant = await service.merchant()
    const made = await service.http
      .post('/api/v1/dev/webhooks/endpoints')
      .set(merchant.write())
      .send({ url: `https://rebind.example.com:${endpointServer.port}/`, events: ['payment.created'] })
    expect(made.status).to.equal(201)
    const delivery = await freshDelivery(service, merchant)
    const rebound = sender([], { resolve: async () => [{ address: '127.0.0.1', family: 4 }] })
    await attempt({ ...service.deps, sender: rebound }, delivery._id)
    const { status, attempts, attemptLog } = await storedDelivery(service, delivery)
    expect({ status, attempts }).to.deep.equal({ status: 'RETRYING', attempts: 1 })
    expect(attemptLog[0]).to.include({ stage: 'address', status: null, responseText: null })
    expect(endpointServer.connections).to.have.length(0)
  })
})
