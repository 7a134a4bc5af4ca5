import { expect } from 'chai'
import { judgeUrl } from '../../src/input/webhook-url.ts'
import { inFull } from '../support/machine.ts'
import { type Merchant, withService } from '../support/service.ts'
import { acceptedHosts, refusedHosts } from '../webhooks/hosts.ts'

/** Judged by the service's own rule. Some of the hosts also go through the API. */
const isAccepted = (host: string) => 'url' in judgeUrl(`https://${host}/hooks`, new Set())

describe("A webhook endpoint's URL", () => {
  const service = withService()

  const register = (host: string, { write }: Merchant) =>
    service.http
      .post('/api/v1/dev/webhooks/endpoints')
      .set(write())
      .send({ url: `https://${host}/hooks`, events: ['payment.created'] })

  it(`is refused with INVALID_WEBHOOK_URL if its host may be private (${refusedHosts.length} hosts)`, async () => {
    expect(refusedHosts.length).to.be.at.least(400)
    const merchant = await service.merchant()
    const wrong: unknown[] = refusedHosts.filter((host) => isAccepted(host))
    const waiting = refusedHosts.filter((_, index) => (index % 30 === 0) === inFull(false, true)).values()
    const registerAll = async () => {
      for (const host of waiting) {
        const { status, body } = await register(host, merchant)
        if (status !== 400 || body.error.code !== 'INVALID_WEBHOOK_URL') wrong.push([host, status, body])
      }
    }
    await Promise.all(Array.from({ length: 10 }, registerAll))
    expect(wrong).to.deep.equal([])
    expect(await service.deps.Endpoint.countDocuments({ businessId: merchant.businessId })).to.equal(0)
  })

  it('is accepted if its host may be public, in any script', async () => {
    expect(acceptedHosts.filter((host) => !isAccepted(host))).to.deep.equal([])
    let merchant = await service.merchant()
    for (const [index, host] of acceptedHosts
      .filter((_, at) => (at % 4 === 0) === inFull(false, true))
      .entries()) {
      // A business may have only five endpoints.
      if (index % 5 === 4) merchant = await service.merchant()
      const { status } = await register(host, merchant)
      expect(status, host).to.equal(201)
    }
  })
})
