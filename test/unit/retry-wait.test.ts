import { judgeAttempt, retryTableStep } from '../../src/webhooks/attempts/attempt.ts'
import * as deliveries from '../../src/webhooks/deliveries/delivery.ts'

const steps = [10, 20, 30, 40, 50, 60, 70, 80]
const endedAt = new Date(1000)
const nothing = { nextAttemptAt: null, deliveredAt: null, deadAt: null }
const ended = (stage: 'timeout' | null, attempts: number, table = steps) =>
  judgeAttempt({ stage } as Parameters<typeof judgeAttempt>[0], attempts, table, endedAt)

describe("An attempt's result", () => {
  it('ends the delivery if the endpoint accepted the webhook, even on the last attempt', () => {
    for (const attempts of [1, 8])
      expect(ended(null, attempts)).to.deep.equal({ ...nothing, status: 'DELIVERED', deliveredAt: endedAt })
  })

  it('sets the time of the next attempt from the retry table, counting from the end of this attempt', () => {
    for (const attempts of [1, 2, 7]) {
      const nextAttemptAt = new Date(1000 + attempts * 10)
      expect(ended('timeout', attempts)).to.deep.equal({ ...nothing, status: 'RETRYING', nextAttemptAt })
    }
  })

  it('makes the delivery DEAD after 8 attempts, or at the end of a shorter retry table', () => {
    const dead = { ...nothing, status: 'DEAD', deadAt: endedAt }
    for (const attempts of [8, 9]) expect(ended('timeout', attempts)).to.deep.equal(dead)
    expect(ended('timeout', 2, [10])).to.deep.equal(dead)
  })

  it('does not count re-queued attempts against the limit of attempts', () => {
    const positions = [retryTableStep(3, 1), retryTableStep(3, 0), retryTableStep(1, 3), retryTableStep(2, 2)]
    expect(positions).to.deep.equal([2, 3, 1, 1])
  })
})

describe("A delivery's job", () => {
  const [event, endpoint] = ['0123456789abcdef01234567', 'fedcba9876543210fedcba98']
  const _id = deliveries.makeDeliveryId(event, endpoint)
  const now = new Date(5000)
  const counts = { attempts: 0, requeues: 0 }
  const delivery = { _id, event: 'payment.created', referenceNumber: 'PI-1', ...counts } as const
  const waiting = { ...delivery, url: 'https://shop.example:8443/hook', nextAttemptAt: new Date(7500) }

  it('starts when the delivery is due and shows no failure before the first attempt', () => {
    expect(deliveries.newDeliveryJob(waiting, now)).to.deep.equal({
      name: 'payment.created',
      data: { ref: 'PI-1', host: 'shop.example:8443' },
      jobId: `${_id}-r0.0`,
      delayMs: 2500,
    })
    expect(deliveries.newDeliveryJob({ ...waiting, nextAttemptAt: new Date(4000) }, now).delayMs).to.equal(0)
    expect(deliveries.newDeliveryJob({ ...waiting, nextAttemptAt: null }, now).delayMs).to.equal(0)
  })

  it('shows how many attempts failed, why the last one failed and when the next one is due', () => {
    const failed = { ...waiting, attempts: 2, requeues: 1 }
    const lastAttempt = { status: 503, error: null }
    const { data, jobId } = deliveries.newDeliveryJob({ ...failed, lastAttempt }, now)
    expect(data).to.deep.include({ failed: '2 of 9', error: 'status 503', next: new Date(7500) })
    expect(jobId).to.equal(`${_id}-r1.2`)
    const over = deliveries.newDeliveryJob({ ...failed, nextAttemptAt: null, lastAttempt }, now)
    expect(over.data).to.have.all.keys('ref', 'host', 'failed', 'error')
    expect(deliveries.failureText({ status: null, error: 'timeout' })).to.equal('timeout')
  })

  it("has an id that consists of the delivery's id and counts", () => {
    expect(deliveries.parseJobId(`${_id}-r12.34`)).to.deep.equal({ _id, requeues: 12, attempts: 34 })
    expect(deliveries.parseJobId('a-r1-r2.3')).to.deep.equal({ _id: 'a-r1', requeues: 2, attempts: 3 })
    expect(deliveries.deliveryIdOf(`${_id}-r0.0`)).to.equal(_id)
  })

  it('belongs to a delivery whose id contains the ids of its event and its endpoint', () => {
    expect(_id).to.equal('ASNFZ4mrze8BI0Vn_ty6mHZUMhD-3LqY')
    expect([deliveries.eventIdOf(_id), deliveries.endpointIdOf(_id)]).to.deep.equal([event, endpoint])
    const ids = [_id, `${_id}A`, `.${_id.slice(1)}`, `A${_id}`, '']
    expect(ids.filter(deliveries.isDeliveryId)).to.deep.equal([_id])
  })
})
