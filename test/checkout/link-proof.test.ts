import { openSecondProcess } from '../support/actions.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { fill, offerOf, open, type Seen, seen, wallets } from './customer.ts'

describe('A customer with a valid link, whose IP address has opened too many unknown ones,', () => {
  const { service, merchant } = withServiceAndMerchant({ TRUST_PROXY: '1' })
  const offer = async (fields: object = {}) => (await offerOf(service, merchant, fields)).path
  let addresses = 0
  const network = () => {
    const from = { 'X-Forwarded-For': `203.0.113.${++addresses}` }
    const count = { _id: `link ${from['X-Forwarded-For']}/32` }
    return {
      from,
      points: () => service.deps.Counter.findOne(count).lean(),
      async close() {
        expect((await open(service, '/p/222222', from)).status).to.equal(404)
        expect((await service.deps.Counter.updateOne(count, { used: 300 })).matchedCount).to.equal(1)
        expect((await open(service, '/p/222222', from)).status).to.equal(429)
      },
    }
  }
  const proofOf = ({ html }: Seen) => /proof&#61;([\w-]{22})/.exec(html)?.[1] ?? ''

  it('can open the page, pay, wait and see the result if the link is signed', async () => {
    const path = await offer()
    const { from, close } = network()
    const form = await open(service, path, from)
    await close()
    expect((await open(service, path, from)).status).to.equal(429)
    expect((await open(service, `${path}?proof=${proofOf(form)}`, from)).status).to.equal(200)
    expect((await open(service, `${path}/status?proof=${proofOf(form)}`, from)).html).to.include('pending')
    const refused = await fill(form, wallets.poor, from)
    expect(refused.status).to.equal(422)
    const response = await fill(refused, wallets.pays, from)
    const paid = await seen(new URL(response.location ?? '', service.origin).href, { headers: from })
    expect(paid.status).to.equal(200)
    expect(paid.says).to.include('Payment successful')
    // An outdated form is proof too.
    service.clock.advance(3 * 3_600_000)
    expect((await fill(form, wallets.pays, from)).status).to.equal(303)
  })

  it('can choose an amount and a language because the links on the page are signed too', async () => {
    const path = await offer({ amountType: 'OPEN' })
    const { from, close } = network()
    const first = await open(service, path, from)
    await close()
    const [, proof] = /name="proof" value="([^"]+)"/.exec(first.html) ?? []
    const second = await open(service, `${path}?amount=5&proof=${proof}`, from)
    expect(second.says).to.include('Pay 5.05 MRU')
    for (const [, href = ''] of second.html.matchAll(/href="(\/p\/[^"]+)"/g)) {
      const to = href.replaceAll('&#38;', '&').replaceAll('&#61;', '=')
      expect((await open(service, to, from)).status, to).to.equal(200)
    }
  })

  it("is refused if the link's signature is forged or belongs to another payment", async () => {
    const [path, other] = [await offer(), await open(service, await offer())]
    const { from, close } = network()
    await close()
    const foreign = [proofOf(other), 'x'.repeat(22), '', 'x', `${proofOf(other)}&proof=${proofOf(other)}`]
    for (const proof of foreign)
      expect((await open(service, `${path}?proof=${proof}`, from)).status, proof).to.equal(429)
    for (const form of [/name="form" value="([^"]+)"/.exec(other.html)?.[1] ?? '', 'x']) {
      const body = new URLSearchParams({ form, ...wallets.pays })
      const page = await seen(service.origin + path, { method: 'POST', body, headers: from })
      expect(page.status).to.equal(429)
    }
  })

  it('can still use a signed link after SECRET_KEY is rotated', async () => {
    const path = await offer()
    const { from, close } = network()
    const form = await open(service, path, from)
    await close()
    const [current] = service.deps.config.secretKeys
    const rotated = await openSecondProcess(service, {
      TRUST_PROXY: '1',
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      SECRET_KEY_PREVIOUS: current.toString('base64'),
    })
    expect((await open(rotated, `${path}?proof=${proofOf(form)}`, from)).status).to.equal(200)
    expect((await fill({ ...form, url: rotated.origin + path }, wallets.pays, from)).status).to.equal(303)
    await rotated.close()
  })

  it('can open an existing payment page and pay without adding to the failed lookups', async () => {
    const path = await offer()
    const { from, points } = network()
    const response = await fill(await open(service, path, from), wallets.pays, from)
    expect((await open(service, response.location ?? '', from)).says).to.include('Payment successful')
    expect(await points()).to.equal(null)
  })
})
