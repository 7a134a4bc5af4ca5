import { expect } from 'chai'
import { judgeWebhookUrl } from '../../src/input/webhook-url.ts'
import { acceptedHosts, refusedHosts } from '../webhooks/hosts.ts'

const isAccepted = (host: string) => 'url' in judgeWebhookUrl(`https://${host}/hooks`, new Set())

describe("A webhook endpoint's URL", () => {
  it(`is refused if its host may be private (${refusedHosts.length} hosts)`, () => {
    expect(refusedHosts.length).to.be.at.least(400)
    expect(refusedHosts.filter(isAccepted)).to.deep.equal([])
  })

  it('is accepted if its host may be public, in any script', () => {
    expect(acceptedHosts.filter(isAccepted)).to.deep.equal(acceptedHosts)
  })
})
