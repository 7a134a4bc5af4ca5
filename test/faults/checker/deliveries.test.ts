import { expect } from 'chai'
import type { Call } from '../evidence/evidence.ts'
import { judge } from './check.ts'
import { at, idOf } from './story/clock.ts'
import { headersOf, endpointId as ofShop, tell } from './story/happenings.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { tellsOf, the } from './story/perturbations.ts'
import { arrival, call, good, other } from './story/story.ts'

/** The delivery of the payment that was confirmed, with its two attempts. */
const confirmed = ({ dump }: Ordinary) =>
  the(dump.deliveries.find(({ event }) => event === 'payment.confirmed'))
const arrivalsOf = (round: Ordinary) => round.arrivals.filter(({ body }) => body === confirmed(round).body)

/** One more that nobody wrote down. */
function unrecorded(round: Ordinary): void {
  const { body, event } = confirmed(round)
  arrival(round, { at: at(7), body, headers: headersOf(event, at(7), body) })
}

/** Staff sent again all that was dead of an endpoint: it was one delivery. */
function allAgain(round: Ordinary): void {
  const { endpointId } = confirmed(round)
  call(round, 20, {
    what: 'requeue.all',
    actor: 'support',
    business: null,
    keyId: null,
    path: `/admin/endpoints/${endpointId}/send-all-again`,
    status: 303,
    answer: { text: '', state: null, location: `/admin/endpoints/${endpointId}?said=all&requeued=1` },
  })
}

/** The merchant writes to the endpoint. */
const change = (round: Ordinary, seconds: number, given: Partial<Call>) =>
  call(round, seconds, {
    what: 'endpoint.update',
    method: 'PUT',
    path: `/api/v1/dev/webhooks/endpoints/${ofShop}`,
    idempotencyKey: `change-${seconds}`,
    answer: good({}),
    ...given,
  })
const remove = { what: 'endpoint.delete', method: 'DELETE' } as const

/** The delivery of the payment that was confirmed was stopped before anything was sent. */
function unsent(round: Ordinary): void {
  const delivery = confirmed(round)
  const gone = { status: 'CANCELLED', deliveredAt: null, attempts: 0, attemptLog: [] } as const
  round.arrivals = round.arrivals.filter(({ body }) => body !== delivery.body)
  Object.assign(delivery, gone)
}

/** Of an event of that name. */
const idOfDelivery = (event: string, endpointId: string): string =>
  Buffer.from(idOf(event) + endpointId, 'hex').toString('base64url')

/** A sample comes to the endpoint. */
function tested(round: Ordinary): void {
  const event = 'payment.confirmed'
  const data = { reference_number: 'PI-TEST000000000000' }
  const body = JSON.stringify({ id: idOfDelivery('test', ofShop), event, sandbox: true, data })
  arrival(round, { at: at(20), body, headers: headersOf(event, at(20), body) })
}

describe('The checker of faults, of deliveries,', () => {
  it('lets an arrival pass that nobody wrote down, where a worker was killed', () => {
    const round = ordinary()
    unrecorded(round)
    round.faults.push({ what: 'process.kill', target: 'worker-1', began: at(6.9), ended: at(9) })
    expect(judge(round)).to.deep.equal([])
  })

  it('matches an attempt with the nearest arrival when a frozen worker sent in the same second', () => {
    const round = ordinary()
    const { body, event, attemptLog } = confirmed(round)
    const second = the(attemptLog[1]).at
    arrival(round, { at: second - 100, body, did: 422, headers: headersOf(event, second, body) })
    round.arrivals.sort((earlier, later) => earlier.at - later.at)
    round.faults.push({ what: 'process.stop', target: 'worker-1', began: second - 9000, ended: second - 150 })
    expect(judge(round)).to.deep.equal([])
  })

  it('lets both pass, a delivery and none, where the endpoint was switched off at that moment', () => {
    for (const isThere of [true, false]) {
      const round = ordinary()
      const path = `/api/v1/dev/webhooks/endpoints/${confirmed(round).endpointId}`
      const update = {
        what: 'endpoint.update',
        method: 'PUT',
        path,
        answer: { success: true, data: {} },
      } as const
      call(round, 32.9, { ...update, idempotencyKey: 'off', body: { active: false } })
      if (!isThere) {
        const gone = the(round.dump.deliveries.find(({ event }) => event === 'payment.expired'))
        round.dump.deliveries = round.dump.deliveries.filter((delivery) => delivery !== gone)
        round.arrivals = round.arrivals.filter(({ body }) => body !== gone.body)
      }
      expect(judge(round)).to.deep.equal([])
    }
  })

  it('lets a delivery be stopped with its endpoint at that time, and not by what came later', () => {
    for (const [off, isRight] of [
      [4.9, true],
      [10, true],
      [80, false],
    ] as const) {
      const round = ordinary()
      unsent(round)
      change(round, off, { body: { active: false } })
      change(round, off + 0.3, { body: { active: true } })
      const told = judge(round).filter(({ promise }) => promise === 'delivery.counted')
      expect(told.length === 0, String(off)).to.equal(isRight)
    }
  })

  it('lets the result of an attempt be lost whose endpoint was disabled meanwhile, and no other', () => {
    for (const [off, isRight] of [
      [4.9, true],
      [60, false],
    ] as const) {
      const round = ordinary()
      const [first] = arrivalsOf(round)
      unsent(round)
      round.arrivals.push(the(first))
      change(round, off, { body: { active: false } })
      const told = judge(round).filter(
        ({ promise, says }) => promise === 'delivery.counted' && says.includes('no attempt is recorded'),
      )
      expect(told.length === 0, String(off)).to.equal(isRight)
    }
  })

  it('lets a delivery be stopped later that was held up until then', () => {
    const round = ordinary()
    unsent(round)
    round.faults.push({ what: 'redis.stop', target: 'redis', began: at(4), ended: at(79) })
    change(round, 80, remove)
    expect(judge(round).filter(({ promise }) => promise === 'delivery.counted')).to.deep.equal([])
  })

  it('lets be sent what may have been on its way when the endpoint went, or where nobody knows that it did', () => {
    for (const [given, isRight] of [
      [{}, false],
      [{ status: null, answer: null, headers: {} }, true],
      [{ began: at(31), ended: at(31.1) }, true],
    ] as const) {
      const round = ordinary()
      change(round, 20, { ...remove, ...given })
      const told = judge(round).filter(({ promise }) => promise === 'delivery.signed')
      expect(told.length === 0, JSON.stringify(given)).to.equal(isRight)
    }
    const round = ordinary()
    change(round, 20, remove)
    round.faults.push({ what: 'process.stop', target: 'worker-1', began: at(19), ended: at(33) })
    expect(judge(round).filter(({ promise }) => promise === 'delivery.signed')).to.deep.equal([])
  })

  it('takes no notice of a stranger who wanted an endpoint gone and heard nothing', () => {
    const round = ordinary()
    const path = `/api/v1/dev/webhooks/endpoints/${confirmed(round).endpointId}`
    const asked = {
      what: 'endpoint.delete',
      method: 'DELETE',
      path,
      actor: 'stranger',
      business: other.id,
    } as const
    call(round, -4, { ...asked, keyId: other.key, idempotencyKey: 'gone', status: null, timeoutMs: 10 })
    expect(judge(round)).to.deep.equal([])
  })

  it('counts what was sent again also where the clean-up took it since', () => {
    const round = ordinary()
    allAgain(round)
    const line = { at: at(20), act: 'delivery.requeued', actor: { kind: 'staff', name: 'aicha' } }
    round.dump.auditevents.push({
      _id: idOf('line-3'),
      ...line,
      subject: idOfDelivery('gone', confirmed(round).endpointId),
    })
    expect(judge(round)).to.deep.equal([])
  })

  it('lets a test of an endpoint pass that somebody asked for, signed as all are', () => {
    const round = ordinary()
    tested(round)
    call(round, 19.9, {
      what: 'endpoint.test',
      path: `/api/v1/dev/webhooks/endpoints/${ofShop}/test`,
      idempotencyKey: 'test',
      body: { event: 'payment.confirmed' },
      answer: good({ deliveryId: idOfDelivery('test', ofShop), delivered: true }),
    })
    expect(judge(round)).to.deep.equal([])
    the(round.arrivals.at(-1)).headers['x-service-signature'] = 'sha256=nothing'
    expect(judge(round).map(({ promise }) => promise)).to.deep.equal(['delivery.signed'])
  })

  it('lets an answer count that had begun when the service left, with its status, and no silence', () => {
    const round = ordinary()
    const one = the(arrivalsOf(round)[1])
    Object.assign(one, { did: 'unread', begun: 200 })
    expect(judge(round)).to.deep.equal([])
    for (const wrong of [
      { did: 'unread', begun: 500 },
      { did: 'hung', begun: null },
    ] as const) {
      Object.assign(one, wrong)
      expect(judge(round).map(({ promise }) => promise)).to.include('delivery.delivered')
    }
  })

  it('lets an answer be missed whose time was up, or whose worker may have died, and no other', () => {
    for (const [durationMs, isKilled, isMissed] of [
      [20, false, false],
      [2001, false, true],
      [20, true, true],
    ] as const) {
      const round = ordinary()
      const first = the(confirmed(round).attemptLog[0])
      Object.assign(first, { status: null, stage: 'answer', durationMs })
      const killed = { what: 'process.kill', target: 'worker-1', began: first.at - 100, ended: first.at }
      if (isKilled) round.faults.push(killed)
      const told = judge(round).filter(({ promise }) => promise === 'delivery.delivered')
      expect(told.length === 0, String([durationMs, isKilled])).to.equal(isMissed)
    }
  })

  it('lets an answer count that came too late, where the worker stood still meanwhile, and no other', () => {
    for (const isDisturbed of [true, false]) {
      const round = ordinary()
      const one = the(arrivalsOf(round)[1])
      Object.assign(one, { did: 'slow', done: one.at + 4000 })
      const stopped = { what: 'process.stop', target: 'worker-1', began: one.at - 100, ended: one.at + 4000 }
      if (isDisturbed) round.faults.push(stopped)
      const told = judge(round).filter(({ promise }) => promise === 'delivery.delivered')
      expect(told.length > 0).to.equal(!isDisturbed)
    }
  })

  tellsOf([
    ['delivery.signed', 'a test comes for which nobody asked', tested],
    [
      'delivery.signed',
      'something comes that is no delivery',
      (round) => {
        const body = confirmed(round).body.replace(confirmed(round)._id, 'x'.repeat(32))
        arrival(round, { at: at(7), body, headers: headersOf('payment.confirmed', at(7), body) })
      },
    ],
    ['audit.complete', 'staff sent all again, and no line tells of it', allAgain],
    [
      'event.exact',
      'one is missing',
      (round) => {
        round.dump.deliveries = round.dump.deliveries.filter((delivery) => delivery !== confirmed(round))
      },
    ],
    [
      'event.exact',
      'one is told twice',
      (round) => void tell(round, { ...round.paid, status: 'PAID' }, 'payment.confirmed', 5),
    ],
    [
      'event.exact',
      'one is told of what never happened',
      (round) => void tell(round, round.cancelled, 'payment.expired', 6),
    ],
    [
      'event.exact',
      'one went to an endpoint that never wanted it',
      ({ dump, calls }) => {
        const events = ['payment.created']
        the(dump.webhookendpoints[0]).events = events
        for (const { what, body } of calls)
          if (what === 'endpoint.create') Object.assign(body as object, { events })
      },
    ],
    [
      'event.exact',
      'one tells of something that is gone',
      ({ dump }) => (the(dump.deliveries[0]).referenceNumber = 'PI-GONE'),
    ],
    [
      'event.told',
      'it says another amount',
      (round) => {
        confirmed(round).body = confirmed(round).body.replace('"amount":500', '"amount":501')
      },
    ],
    [
      'event.told',
      'it says another commission',
      (round) => {
        confirmed(round).body = confirmed(round).body.replace('"tof":2', '"tof":3')
      },
    ],
    [
      'event.told',
      'it happened at another time',
      ({ dump }) => {
        const told = the(dump.deliveries.find(({ event }) => event === 'payment.cancelled'))
        told.body = told.body.replace('12:00:06.000Z', '12:00:06.100Z')
      },
    ],
    [
      'event.told',
      'a payment that failed has none',
      (round) => {
        const path = `/api/v1/dev/intents/${round.expired.referenceNumber}/simulate-payment`
        const answer = { success: false, error: { code: 'PAYMENT_FAILED', message: '', statusCode: 402 } }
        call(round, 20, { what: 'simulate', path, idempotencyKey: 'failed', status: 402, answer })
      },
    ],
    [
      'delivery.delivered',
      'nothing arrived',
      (round) => {
        round.arrivals = round.arrivals.filter(({ body }) => body !== confirmed(round).body)
      },
    ],
    [
      'delivery.delivered',
      'what arrived was refused',
      (round) => {
        for (const one of arrivalsOf(round)) one.did = 500
      },
    ],
    [
      'delivery.delivered',
      'a good answer is noted as none',
      (round) => {
        const delivery = confirmed(round)
        Object.assign(delivery, { status: 'DEAD', deliveredAt: null, attempts: 8 })
        Object.assign(the(delivery.attemptLog[1]), { status: null, stage: 'answer' })
      },
    ],
    ['delivery.delivered', 'other bytes arrived', (round) => (the(arrivalsOf(round)[0]).body += ' ')],
    ['delivery.counted', 'it is still to be tried', (round) => (confirmed(round).status = 'RETRYING')],
    [
      'delivery.counted',
      'it is DEAD too early',
      (round) => {
        const delivery = confirmed(round)
        Object.assign(delivery, { status: 'DEAD', deliveredAt: null })
        for (const attempt of delivery.attemptLog) attempt.status = 500
      },
    ],
    ['delivery.counted', 'an attempt is counted twice', (round) => (confirmed(round).attempts += 1)],
    [
      'delivery.counted',
      'it is tried after it was accepted',
      (round) => {
        const delivery = confirmed(round)
        delivery.attempts += 1
        delivery.attemptLog.push({ ...the(delivery.attemptLog[0]), at: at(9) })
      },
    ],
    ['delivery.counted', 'an arrival is not written down and nothing was wrong', unrecorded],
    [
      'delivery.counted',
      'it is CANCELLED, and its endpoint is there',
      (round) => {
        Object.assign(confirmed(round), { status: 'CANCELLED', deliveredAt: null, attempts: 1 })
        confirmed(round).attemptLog.pop()
      },
    ],
    ['delivery.counted', 'somebody holds it', (round) => (confirmed(round).leaseToken = 'a')],
    [
      'delivery.paced',
      'an attempt comes before its wait is over',
      (round) => {
        the(confirmed(round).attemptLog[1]).at -= 200
      },
    ],
    [
      'delivery.paced',
      'an attempt comes much too late',
      (round) => (the(confirmed(round).attemptLog[1]).at += 30_000),
    ],
    [
      'delivery.signed',
      'the signature is over other bytes',
      (round) => {
        the(arrivalsOf(round)[0]).headers['x-service-signature'] = `sha256=${'0'.repeat(64)}`
      },
    ],
    [
      'delivery.signed',
      'the timestamp is old',
      (round) => {
        const one = the(arrivalsOf(round)[0])
        one.headers = headersOf('payment.confirmed', one.at - 60_000, one.body)
      },
    ],
    [
      'delivery.signed',
      'the header says another event',
      (round) => {
        the(arrivalsOf(round)[0]).headers['x-service-event'] = 'payment.created'
      },
    ],
    [
      'delivery.signed',
      'a replaced secret signs no more',
      (round) => {
        const path = `/api/v1/dev/webhooks/endpoints/${confirmed(round).endpointId}/rotate-secret`
        const data = { id: confirmed(round).endpointId, secret: 'b'.repeat(64) }
        call(round, -2, {
          what: 'endpoint.rotate',
          path,
          idempotencyKey: 'rotate',
          answer: { success: true, data },
        })
        for (const one of round.arrivals) one.headers['x-service-signature'] = `sha256=${'0'.repeat(64)}`
      },
    ],
    [
      'delivery.signed',
      'it comes to another address',
      (round) => (the(arrivalsOf(round)[0]).path = '/hook/2'),
    ],
    [
      'delivery.signed',
      'its endpoint was switched off long ago',
      (round) => change(round, 20, { body: { active: false } }),
    ],
    ['audit.complete', 'a line is missing', ({ dump }) => dump.auditevents.splice(1, 1)],
    [
      'audit.complete',
      'a line is there twice',
      ({ dump }) => dump.auditevents.push({ ...the(dump.auditevents[1]), _id: 'again' }),
    ],
    [
      'audit.complete',
      'what was asked for by hand was not done',
      (round) => {
        const delivery = the(round.dump.deliveries[0])
        delivery.status = 'DEAD'
        for (const attempt of delivery.attemptLog) attempt.at = Math.min(attempt.at, at(1.9))
      },
    ],
    ['audit.complete', 'a sign-in is not there', ({ dump }) => dump.auditevents.splice(0, 1)],
    ['audit.complete', 'a line waits', (round) => confirmed(round).unaudited.push({})],
    [
      'audit.complete',
      "a merchant's retry is not there",
      (round) => {
        const path = `/api/v1/dev/webhooks/events/${confirmed(round)._id}/retry`
        const answer = { success: true, data: { id: confirmed(round)._id, retried: true } }
        call(round, 20, { what: 'delivery.retry', path, idempotencyKey: 'retry', answer })
      },
    ],
  ])
})
