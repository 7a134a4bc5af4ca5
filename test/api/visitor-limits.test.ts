import { createIntent } from '../support/actions.ts'
import { withService } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const limit = 5

describe('The rate limiter for customers and other visitors', () => {
  const service = withService({ RATE_LIMIT_PER_SECOND: String(limit), TRUST_PROXY: '1' })
  const delayRefusals = (ms: number) => Object.assign(service.deps.rateLimits ?? {}, { refusalDelayMs: ms })
  beforeEach(() => {
    delayRefusals(10)
    service.clock.freeze(new Date(Math.ceil(service.clock.now().getTime() / 1000) * 1000 + 1000))
  })

  const visit = (from: string, path = '/', headers: Record<string, string> = {}) =>
    service.http
      .get(path)
      .set({ 'X-Forwarded-For': from, ...headers })
      .redirects(0)
  const flood = (count: number, from: string | ((index: number) => string), path?: string) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        visit(typeof from === 'string' ? from : from(index), path).then(({ status }) => status),
      ),
    )
  const refused = (statuses: number[]) => statuses.filter((status) => status === 429)
  const counted = async (scope: string) =>
    (await service.deps.metrics.rateLimited.get()).values.find(({ labels }) => labels.scope === scope)
      ?.value ?? 0
  async function payment() {
    const { shortCode } = await createIntent(service, await service.merchant(), { amount: 500 })
    const { text } = await visit(`100.99.0.${++payments}`, `/p/${shortCode}`)
    const proof = /proof&#61;([\w-]{22})/.exec(text)?.[1]
    return { page: `/p/${shortCode}?proof=${proof}`, status: `/p/${shortCode}/status?proof=${proof}` }
  }
  let payments = 0

  it("answers an address's sixth poll or page view in a second with a page that explains the refusal", async () => {
    const { page, status } = await payment()
    expect(refused(await flood(limit + 1, '100.2.0.1', page))).to.have.length(1)
    const before = await counted('polls')
    expect(refused(await flood(limit + 3, '100.1.0.1', status))).to.have.length(3)
    expect((await counted('polls')) - before).to.equal(3)
    const late = await visit('100.1.0.1', status, { 'Accept-Language': 'en' })
    expect(late.status).to.equal(429)
    expect(late.headers['retry-after']).to.equal('1')
    expect(late.text).to.include('Too many attempts')
    expect((await visit('100.1.1.1', status)).status).to.equal(200)
    service.clock.advance(1000)
    expect((await visit('100.1.0.1', status)).status).to.equal(200)
  })

  it("admits a customer's polls during 30 requests from a stranger", async () => {
    const { status } = await payment()
    const [stranger, ...customer] = await Promise.all([
      flood(30, '100.3.0.1', status),
      ...['100.3.1.1', '100.3.1.1'].map((from) => visit(from, status)),
    ])
    expect(refused(stranger)).to.have.length(30 - limit)
    expect(customer.map((response) => response.status)).to.deep.equal([200, 200])
  })

  const prefixes = [
    { name: 'IPv4 /24', from: (n: number) => `100.4.0.${n}`, beside: '100.4.1.1' },
    { name: 'IPv6 /48', from: (n: number) => `2001:db8:1:${n.toString(16)}::1`, beside: '2001:db8:2::1' },
  ]
  for (const { name, from, beside } of prefixes)
    it(`admits three times as many requests from a network as from an address: ${name}`, async () => {
      expect(refused(await flood(40, from))).to.have.length(40 - 3 * limit)
      expect((await visit(beside)).status).to.equal(200)
    })

  it('delays each error response by a second', async () => {
    delayRefusals(1000)
    await flood(limit, '100.5.0.1')
    const startedAt = performance.now()
    expect((await visit('100.5.0.1')).status).to.equal(429)
    expect(performance.now() - startedAt).to.be.above(950)
  })

  const paths = ['/nothing', '/docs', '/api/v1/openapi.json', '/admin/nothing.css', '/api/v1/dev/none']
  it(`also limits other paths and counts their refusals under the scope “address”: ${paths.join(', ')}`, async () => {
    const before = await counted('address')
    const floods = paths.map((path, index) => flood(limit + 2, `100.6.${index}.1`, path))
    for (const [index, statuses] of (await Promise.all(floods)).entries())
      expect(refused(statuses), paths[index]).to.have.length(2)
    expect((await counted('address')) - before).to.equal(2 * paths.length)
  })

  it('uses the API envelope when it refuses a request to a path that has no page', async () => {
    await flood(limit, '100.7.0.1', '/nothing')
    const details = { scope: 'address', limit, windowSeconds: 1 }
    await expectRefused(visit('100.7.0.1', '/nothing'), 429, 'RATE_LIMITED', { details })
  })

  it('never refuses a health probe but delays probes from a network that sends too many', async () => {
    delayRefusals(1000)
    const probe = async (path: string, index: number) => {
      const startedAt = performance.now()
      expect(await flood(limit + 2, `100.8.${index}.1`, path)).to.deep.equal(Array(limit + 2).fill(200))
      expect(performance.now() - startedAt).to.be.above(950)
    }
    await Promise.all(['/healthz', '/readyz', '/metrics'].map(probe))
  })
})
