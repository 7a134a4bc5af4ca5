import { rawCollection } from '../../src/mongo/collection.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Delivery, makeDeliveryId } from '../../src/webhooks/deliveries/delivery.ts'
import { requeueBatchSize } from '../../src/webhooks/deliveries/requeue.ts'
import { maskUrl } from '../../src/webhooks/endpoints/endpoint-facts.ts'
import { excuse } from '../invariants/expect-invariants.ts'
import { attempt, storedDelivery, subscribe } from '../support/actions.ts'
import { deadDeliveries, shortRetryDelays } from '../support/dead-deliveries.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { withMerchantPerTest, withService } from '../support/service.ts'
import { hiddenFields, readable, trailOf, unescaped, withStaff } from './staff.ts'

const anyTime = { from: '', to: '' }

describe('The Re-queue button', () => {
  const service = withService(shortRetryDelays)
  const [failing, quick] = [withEndpointServer(), withEndpointServer()]
  const merchant = withMerchantPerTest(service)
  const [support, viewer] = [withStaff(service, 'support'), withStaff(service, 'viewer')]
  beforeEach(() => failing.respondWith((res) => void res.writeHead(500).end('no')))

  const deadOne = async () => (await deadDeliveries(service, merchant, 1))[0] ?? expect.fail()
  const textAt = (location: string | null) => support.read(String(location))
  const toFailing = () => subscribe(service, merchant, failing.url, ['payment.created'])
  const statusOf = async (delivery: { _id: string }) => (await storedDelivery(service, delivery)).status
  const linesOn = ({ _id }: { _id: string }) => trailOf(service, _id)

  it('attempts the delivery once more, audits the action and shows the result on the page', async () => {
    await toFailing()
    const { _id, referenceNumber } = await deadOne()
    const act = `/admin/deliveries/${_id}/requeue`
    const press = async (back: string) => {
      const { status, location } = await support.act(act, { back })
      expect(status).to.equal(303)
      return [location?.split('?')[0], await textAt(location)] as const
    }
    const payment = `/admin/payments/${referenceNumber}`
    const [source, queued] = await press('source')
    expect(source).to.equal(payment)
    expect(queued).to.include('Re-queued. The next attempt starts now.')
    const [page, hold] = await press('https://elsewhere.example')
    expect(page).to.equal(`/admin/deliveries/${_id}`)
    expect(hold).to.include('An attempt is already due or in progress, so the delivery was not re-queued.')
    failing.respondWith((res) => void res.end())
    expect((await attempt(service.deps, _id)).outcome).to.equal('delivered')
    const [, delivered] = await press('source')
    expect(delivered).to.include('This delivery was already delivered, so it was not re-queued.')
    expect((await attempt(service.deps, _id)).outcome).to.equal('superseded')
    const lines = await linesOn({ _id })
    expect(lines).to.have.lengthOf(1)
    const actor = { kind: 'staff', name: support.name, from: '127.0.0.1' }
    expect(lines[0]).to.deep.include({ act: 'delivery.requeued', actor, businessId: merchant.businessId })
    expect(lines[0]?.before).to.include({ status: 'DEAD' })
    expect((await support.get(`${payment}?result=constructor`)).text).not.to.include('class="notice')
  })

  it("sends the delivery to the endpoint's new URL, which the pages then show", async () => {
    const { id } = await toFailing()
    const { _id, referenceNumber } = await deadOne()
    const { url } = quick
    service.allowHost(new URL(url).host)
    const change = service.http.put(`/api/v1/dev/webhooks/endpoints/${id}`).set(merchant.write())
    await change.send({ url }).expect(200)
    await support.act(`/admin/deliveries/${_id}/requeue`)
    expect((await attempt(service.deps, _id)).outcome).to.equal('delivered')
    const text = (page: string) => support.read(`/admin/${page}`)
    expect(await text(`deliveries/${_id}`)).to.include(`Endpoint ${maskUrl(service.deps, url)} `)
    expect(await text(`payments/${referenceNumber}`)).to.include(`to ${maskUrl(service.deps, url)} `)
  })

  it('sends nothing and says so if the endpoint has been deleted', async () => {
    const { id } = await toFailing()
    const { _id } = await deadOne()
    await service.http.delete(`/api/v1/dev/webhooks/endpoints/${id}`).set(merchant.write()).expect(200)
    for (const [act, sentence] of [
      [`deliveries/${_id}/requeue`, 'The endpoint is deleted or disabled. Nothing was re-queued.'],
      [`endpoints/${id}/requeue-all`, 'Endpoint deleted.'],
    ]) {
      const { location } = await support.act(`/admin/${act}`)
      expect(await textAt(location)).to.include(sentence)
    }
    expect(await statusOf({ _id })).to.equal('DEAD')
    expect(await linesOn({ _id })).to.deep.equal([])
  })

  it('is hidden from viewers, whose requests are rejected', async () => {
    const { id } = await toFailing()
    const { _id, referenceNumber } = await deadOne()
    for (const act of [`/admin/deliveries/${_id}/requeue`, `/admin/endpoints/${id}/requeue-all`]) {
      expect((await viewer.act(act)).status, act).to.equal(403)
      for (const csrf of ['', 'x', viewer.cookie])
        expect((await support.post(act, { csrf })).status, act).to.equal(403)
    }
    expect(await statusOf({ _id })).to.equal('DEAD')
    for (const page of [`payments/${referenceNumber}`, `deliveries/${_id}`, `endpoints/${id}`, 'dead']) {
      const forSupport = await support.get(`/admin/${page}`)
      expect(forSupport.text, page).to.match(/(action|href)="[^"]*\/requeue(-all)?(\?[^"]*)?"/)
      const { status, text } = await viewer.get(`/admin/${page}`)
      expect([status, /requeue(-all)?[?"]|<button>Re-queue/.test(text)], page).to.deep.equal([200, false])
    }
  })

  describe("for all of an endpoint's deliveries", () => {
    const deadOf = (id: string) => service.deps.Delivery.countDocuments({ endpointId: id, status: 'DEAD' })

    /** While `run` is running, each re-queued batch takes five seconds. */
    async function slowly<T>(run: () => Promise<T>): Promise<T> {
      const [{ enqueue }, { now }] = [service.deps, performance]
      let passedMs = 0
      performance.now = () => now.call(performance) + passedMs
      service.deps.enqueue = () => void (passedMs += 5000)
      try {
        return await run()
      } finally {
        performance.now = now
        service.deps.enqueue = enqueue
      }
    }

    it("re-queues only this endpoint's deliveries that are dead when the button is pressed", async () => {
      const one = await toFailing()
      const dead = await deadOne()
      const other = await subscribe(service, merchant, `${failing.url}/other`, ['payment.created'])
      const ofOther = { ...dead, _id: makeDeliveryId(newId(), other.id), endpointId: other.id }
      excuse([ofOther._id])
      await rawCollection(service.deps.Delivery).insertOne(ofOther)
      expect([await deadOf(one.id), await deadOf(other.id)]).to.deep.equal([1, 1])
      const { location } = await support.act(`/admin/endpoints/${one.id}/requeue-all`, anyTime)
      expect(await textAt(location))
        .to.include('Re-queued: 1 delivery.')
        .and.not.to.include('Remaining')
      expect([await deadOf(one.id), await deadOf(other.id)]).to.deep.equal([0, 1])
    })

    it('stops after a few seconds, shows how many are left and offers to continue', async () => {
      const { id } = await toFailing()
      await deadDeliveries(service, merchant, requeueBatchSize + 30)
      const act = `/admin/endpoints/${id}/requeue-all`
      const first = await slowly(async () => support.get(String((await support.act(act, anyTime)).location)))
      expect(readable(first.text)).to.include(`Re-queued: ${requeueBatchSize} deliveries. Remaining: 30.`)
      service.clock.advance(2000)
      const later = await deadOne()
      const [, link = ''] = /href="([^"]*requeue-all[^"]*)">Re-queue the rest/.exec(first.text) ?? []
      const { text } = await support.get(unescaped(link))
      expect(readable(text)).to.match(/Dead deliveries to 20[^:]+:\S+ UTC: 30 /)
      const { csrf = '', from = '', to = '' } = hiddenFields(text)
      const second = await support.post(act, { csrf, from, to, reason: '' })
      expect(await textAt(second.location)).to.include('Re-queued: 30 deliveries.')
      expect(await statusOf(later)).to.equal('DEAD')
      expect(await deadOf(id)).to.equal(1)
      const requeued = { businessId: merchant.businessId, act: 'delivery.requeued' } as const
      expect(await service.deps.AuditEvent.countDocuments(requeued)).to.equal(requeueBatchSize + 30)
    })

    it("re-queues only deliveries that died in the form's time range", async () => {
      const { id } = await toFailing()
      const [early, late] = (await deadDeliveries(service, merchant, 2)) as [Delivery, Delivery]
      const act = `/admin/endpoints/${id}/requeue-all`
      for (const odd of [{ from: 'soon' }, { to: '2026-13-01' }, { from: '2027-01-02', to: '2027-01-01' }])
        expect((await support.act(act, { ...anyTime, ...odd })).status, JSON.stringify(odd)).to.equal(400)
      const day = '2026-01-01'
      const { csrf = '' } = hiddenFields((await support.get(act)).text)
      for (const incomplete of [{}, { from: day }, { from: day, To: day }, { from: day, to: [day, day] }]) {
        const fields = Object.entries({ csrf, ...incomplete }).flatMap(([name, value]) =>
          [value].flat().map((each): [string, string] => [name, each]),
        )
        const { status, text } = await support.post(act, fields)
        expect([status, text.includes('each of its fields exactly once')]).to.deep.equal([400, true])
      }
      await support.act(act, { from: String(late.deadAt?.toISOString()), to: '2999-01-01' })
      expect([await statusOf(early), await statusOf(late)]).to.deep.equal(['DEAD', 'RETRYING'])
    })
  })
})
