import { rawCollection } from '../../src/mongo/collection.ts'
import { dayMs } from '../../src/platform/time.ts'
import type { Delivery } from '../../src/webhooks/deliveries/delivery.ts'
import { maskUrl } from '../../src/webhooks/endpoints/endpoint-facts.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { subscribe } from '../support/actions.ts'
import { deadDelivery, shortRetryDelays } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { profiled } from '../support/profiled.ts'
import { withServiceAndMerchant } from '../support/service.ts'
import { readable, withStaff } from './staff.ts'

describe('The list of dead deliveries', () => {
  const { service, merchant } = withServiceAndMerchant(shortRetryDelays)
  const endpointServer = withEndpointServer()
  const staff = withStaff(service, 'admin')
  let endpointId: string
  let dead: Delivery
  before(async () => {
    endpointServer.respondWith((res) => void res.writeHead(502).end())
    endpointId = (await subscribe(service, merchant, endpointServer.url, ['payment.created'])).id
    dead = await deadDelivery(service, merchant)
  })

  /** Stores a dead delivery per time of death for each item of `changes`. */
  const bury = (moments: string[], ...changes: Partial<Delivery>[]) => {
    const buried = changes.flatMap((each) =>
      moments.map((moment, index) => {
        const eventId = `${moment}${index}`.replaceAll(/\D/g, '').padEnd(24, '0')
        return { ...dead, ...each, _id: `${eventId}-${each.endpointId}`, deadAt: new Date(moment) }
      }),
    )
    excuse(buried.map(({ _id }) => _id))
    return rawCollection(service.deps.Delivery).insertMany(buried)
  }
  const rowsOf = async (query: string) => {
    const { text } = await staff.get(`/admin/dead${query}`)
    return [...text.matchAll(/<h2>.*?<\/h2>|<tr>\s*<td.*?<\/tr>/gs)].map(([part]) => readable(part).trim())
  }

  it('shows the count, dates and error per business and endpoint, largest count first', async () => {
    const other = await service.merchant({ mode: 'live' })
    await service.deps.Business.updateOne({ _id: other.businessId }, { name: 'Hanout' })
    const [one, two] = [
      await subscribe(service, other, `${endpointServer.url}/1`, ['payment.created']),
      await subscribe(service, other, `${endpointServer.url}/2`, ['payment.created']),
    ]
    const changes = { businessId: other.businessId, sandbox: false }
    await bury(['2030-01-05T10:00:00Z'], { ...changes, endpointId: one.id })
    const timeout = { status: null, stage: 'timeout', error: 'The response did not complete in time.' }
    const attemptLog = dead.attemptLog.map((attempt) => ({ ...attempt, ...timeout }))
    await bury(['2030-01-02T10:00:00Z', '2030-01-03T10:00:00Z'], { ...changes, endpointId: two.id })
    await bury(['2030-01-04T10:00:00Z'], { ...changes, endpointId: two.id, sandbox: true, attemptLog })
    await bury(['2030-01-04T10:00:00Z', '2030-01-04T11:00:00Z'], { endpointId })
    const shown = (path: string) => maskUrl(service.deps, `${endpointServer.url}${path}`)
    expect(await rowsOf('?from=2030-01-02T10:00&to=2030-01-05')).to.deep.equal([
      'Hanout: 4 deliveries',
      `${shown('/2')} 3 (2 live) 2030-01-02 10:00:00 UTC 2030-01-04 10:00:00 UTC timeout (the response did not complete in time) Re-queue all 3…`,
      `${shown('/1')} 1 (1 live) 2030-01-05 10:00:00 UTC 2030-01-05 10:00:00 UTC status 502 Re-queue…`,
      'Épicerie: 2 deliveries',
      `${shown('')} 2 (0 live) 2030-01-04 10:00:00 UTC 2030-01-04 11:00:00 UTC status 502 Re-queue all 2…`,
    ])
    expect(await rowsOf('?from=2030-01-02T10:01&to=2030-01-03')).to.deep.equal([
      'Hanout: 1 delivery',
      `${shown('/2')} 1 (1 live) 2030-01-03 10:00:00 UTC 2030-01-03 10:00:00 UTC status 502 Re-queue…`,
    ])
  })

  it('says so when there are more endpoints than it shows', async () => {
    const list = () => staff.read('/admin/dead?from=2029-01-01&to=2029-01-02')
    const ids = Array.from({ length: 101 }, (_, index) => `${index}`.padStart(24, '0'))
    await bury(['2029-01-01T10:00:00Z'], ...ids.slice(1).map((id) => ({ endpointId: id })))
    expect(await list())
      .to.match(/ 100 deliveries died between .* still dead\. /)
      .and.not.match(/More than|Only the/)
    await bury(['2029-01-01T10:00:00Z', '2029-01-01T11:00:00Z'], { endpointId: String(ids[0]) })
    expect(await list()).to.match(
      / More than 101 deliveries died between .* still dead\. Only the 100 endpoints with the most dead deliveries are shown and counted\. /,
    )
  })

  it('covers the last 30 days by default and rejects an invalid time', async () => {
    const ago = (days: number) => new Date(service.clock.now().getTime() - days * dayMs).toISOString()
    await bury([ago(29.9), ago(30.1)], { endpointId })
    expect((await rowsOf(''))[0]).to.equal('Épicerie: 2 deliveries')
    expect((await rowsOf(`?from=${ago(31)}&to=`))[0]).to.equal('Épicerie: 3 deliveries')
    const none = await staff.read('/admin/dead?from=2031-01-01&to=2031-01-02')
    expect(none).to.include('No delivery that died between')
    await bury([ago(40)], { endpointId })
    expect((await rowsOf(`?to=${ago(35)}`))[0]).to.equal('Épicerie: 1 delivery')
    expect((await staff.get(`/admin/dead?from=${ago(-1)}`)).status).to.equal(200)
    for (const query of ['from=soon', 'to=2030-02-30', 'from=2030-01-02&to=2030-01-01', 'from=a&from=b'])
      expect((await staff.get(`/admin/dead?${query}`)).status, query).to.equal(400)
  })

  it('uses an index for every query, like all other staff pages', async () => {
    const id = dead._id
    const payment = `payments/${dead.referenceNumber}`
    const business = `businesses/${merchant.businessId}`
    const details = [`/${payment}`, `/deliveries/${id}`, `/endpoints/${endpointId}`, `/${business}`]
    const lists = ['/businesses', '/businesses?name=pic&state=live', '/staff', `/keys/${merchant.keyId}`]
    const pages = ['/', '?q=picer', '/dead', ...lists, ...details]
    const done = await profiled(service, async () => {
      for (const page of pages) expect((await staff.get(`/admin${page}`)).status, page).to.be.lessThan(400)
      await staff.act(`/admin/endpoints/${endpointId}/requeue-all`, { from: '', to: '' })
    })
    const reads = done.filter(({ planSummary }) => planSummary !== undefined)
    const byScan = reads.filter(({ planSummary }) => /COLLSCAN/.test(String(planSummary)))
    expect(reads.length).to.be.greaterThan(20)
    expect(byScan.map(({ ns, command }) => JSON.stringify([ns, command]))).to.deep.equal([])
  })
})
