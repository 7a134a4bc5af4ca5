import { expect } from 'chai'
import type { Call } from '../evidence/evidence.ts'
import { judge } from './check.ts'
import type { IntentDocument } from './documents.ts'
import { at, iso } from './story/clock.ts'
import { create, read, shown } from './story/happenings.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { tellsOf, the } from './story/perturbations.ts'
import { call, good, other, shop } from './story/story.ts'

const jump = 25 * 3_600_000

/** A list shows a young delivery that MongoDB does not have. */
function goneDelivery(round: Ordinary, { referenceNumber, sandbox }: IntentDocument): void {
  const items = [{ id: 'gone', referenceNumber, sandbox, createdAt: iso(20) }]
  call(round, 20, { what: 'delivery.list', path: '/api/v1/dev/webhooks/events', answer: good({ items }) })
}

/** The request that did so, and how it was refused. */
function refused(round: Ordinary, what: 'cancel' | 'simulate', code: string): void {
  const error = { code, statusCode: 400, message: '' }
  Object.assign(the(round.calls.find((each) => each.what === what)), {
    status: 400,
    answer: { success: false, error },
  })
}

/** The same key once more. */
function triedAgain(round: Ordinary, idempotencyKey: string, given: Partial<Call>): Call {
  const first = the(round.calls.find((each) => each.idempotencyKey === idempotencyKey))
  const headers = { ...first.headers, 'x-request-id': 'again' }
  const tried = { ...structuredClone(first), call: 99, attempt: 2, headers, ...given }
  round.calls.push(tried)
  return tried
}

describe('The checker of faults, of intents,', () => {
  it('finds nothing in an ordinary round', () => {
    expect(judge(ordinary())).to.deep.equal([])
  })

  it('lets a create pass of which nobody knows the outcome, whether it happened or not', () => {
    for (const happened of [true, false]) {
      const round = ordinary()
      const made = create(round, 'unknown', 50)
      Object.assign(the(round.calls.at(-1)), { status: null, answer: null, headers: {} })
      round.faults.push({ what: 'process.kill', target: 'web-1', began: at(49), ended: at(51) })
      Object.assign(made, { status: 'CANCELLED', cancellationReason: 'expired', updatedAt: made.expiresAt })
      if (!happened) round.dump.intents.pop()
      const told = judge(round).filter(({ promise }) => promise !== 'event.exact')
      expect(told).to.deep.equal([])
    }
  })

  it('lets a key run again that is a day old', () => {
    const round = ordinary()
    const first = the(round.calls.find(({ idempotencyKey }) => idempotencyKey === 'create-paid'))
    const again = {
      ...first,
      call: 99,
      clockAheadMs: [jump, jump] as [number, number],
      began: at(120),
      ended: at(121),
    }
    round.calls.push({ ...again, headers: { ...first.headers, 'x-request-id': 'another' }, status: 503 })
    round.faults.push({ what: 'clock.jump', target: `all +${jump}`, began: at(119), ended: at(119) })
    expect(judge(round).filter(({ promise }) => promise === 'key.replayed')).to.deep.equal([])
  })

  it('lets what ended an intent pass that had no answer, or one at a later try', () => {
    for (const what of ['cancel', 'simulate'] as const) {
      const round = ordinary()
      round.faults.push({ what: 'process.kill', target: 'web-1', began: at(4), ended: at(7) })
      const first = the(round.calls.find((each) => each.what === what))
      const lost = { status: null, answer: null, headers: {} }
      triedAgain(round, first.idempotencyKey ?? '', { began: first.began + 200, ended: first.ended + 200 })
      Object.assign(first, lost)
      expect(judge(round)).to.deep.equal([])
      Object.assign(the(round.calls.at(-1)), lost)
      expect(judge(round)).to.deep.equal([])
    }
  })

  it('lets a key be under way that another try has, and not once that was answered', () => {
    const error = { code: 'IDEMPOTENCY_REQUEST_IN_PROGRESS', statusCode: 409, message: '' }
    for (const [laterMs, isRight] of [
      [50, true],
      [100, false],
      [5000, false],
    ] as const) {
      const round = ordinary()
      const began = the(round.calls.find(({ what }) => what === 'create')).began + laterMs
      const tried = { began, ended: began + 100, status: 409, answer: { success: false, error } }
      triedAgain(round, 'create-paid', tried)
      const told = judge(round).map(({ promise }) => promise)
      expect(told, String(laterMs)).to.deep.equal(isRight ? [] : ['refusal.due'])
    }
  })

  it('lets a try that was given up act in the next life of its key, whether or not its first was heard of', () => {
    for (const isHeard of [true, false]) {
      const round = ordinary()
      const first = the(round.calls.find(({ idempotencyKey }) => idempotencyKey === 'create-paid'))
      const { began: then } = first
      const lost = { status: null, answer: null, headers: {} }
      round.calls.push({ ...first, call: 98, attempt: 2, began: then + 100, ended: then + 200, ...lost })
      if (!isHeard) Object.assign(first, lost)
      const made = create(round, 'again', 12)
      round.calls.splice(round.calls.indexOf(the(round.calls.at(-1))), 1)
      Object.assign(made, { status: 'CANCELLED', cancellationReason: 'expired', updatedAt: made.expiresAt })
      expect(judge(round).map(({ promise }) => promise)).to.include('key.once')
      // All clocks were set while it may have been on its way.
      Object.assign(read(round, round.paid, 15), { clockAheadMs: [jump, jump], began: then + 30_200 })
      expect(judge(round).map(({ promise }) => promise)).to.not.include('key.once')
    }
  })

  it('lets the clean-up take a young delivery with the old intent that it tells of', () => {
    const round = ordinary()
    const old = { ...round.paid, referenceNumber: 'PI-AAAAAAAAAAAAAAAA', createdAt: at(-31 * 86_400) }
    read(round, old, 19)
    goneDelivery(round, old)
    expect(judge(round)).to.deep.equal([])
  })

  tellsOf([
    [
      'create.exists',
      'MongoDB lost it',
      ({ dump, paid }) => dump.intents.splice(dump.intents.indexOf(paid), 1),
    ],
    [
      'create.exists',
      'the auditor does not read it',
      (round) => {
        round.calls = round.calls.filter(
          ({ actor, path }) => actor !== 'auditor' || !path.includes(round.paid.referenceNumber),
        )
      },
    ],
    ['create.exists', 'it has another code', ({ paid }) => (paid.code = '777777')],
    ['create.exists', 'it lives for longer', ({ paid }) => (paid.expiresAt += 1000)],
    [
      'create.exists',
      'it was not asked for like this',
      ({ calls }) => (the(calls.find(({ what }) => what === 'create')).body = { amount: 1 }),
    ],
    [
      'key.once',
      'there is one that nobody asked for',
      (round) => {
        create(round, 'extra', 50)
        round.calls.pop()
      },
    ],
    [
      'key.once',
      'two keys got the same',
      (round) => {
        const first = the(round.calls.find(({ what }) => what === 'create'))
        call(round, 60, { ...first, call: 99, idempotencyKey: 'another', headers: {} })
      },
    ],
    [
      'key.once',
      'a refund is there that nobody asked for',
      ({ paid }) => {
        const times = { createdAt: at(9), validUntil: at(15) }
        paid.refunds.push({ id: 'RF-EXTRA', amount: 1, reason: null, status: 'SUCCEEDED', ...times })
        paid.refundsCommitted += 1
      },
    ],
    [
      'key.once',
      'two intents bear one key',
      (round) => {
        for (const intent of [round.paid, round.cancelled])
          intent.metadata = [{ key: 'key', value: 'create-paid' }]
      },
    ],
    [
      'key.once',
      'a cancel was refused, and it is cancelled',
      (round) => refused(round, 'cancel', 'INTENT_CANCEL_INVALID_STATUS'),
    ],
    [
      'key.once',
      'a simulation was refused, and it paid',
      (round) => refused(round, 'simulate', 'INTENT_NOT_PENDING'),
    ],
    [
      'key.once',
      'it is cancelled, and nobody asked for that',
      (round) => {
        round.calls = round.calls.filter(({ what }) => what !== 'cancel')
      },
    ],
    [
      'key.once',
      'it is cancelled, and only another business asked for that',
      ({ calls }) => {
        const asked = the(calls.find(({ what }) => what === 'cancel'))
        Object.assign(asked, { actor: 'stranger', business: other.id, keyId: other.key, status: 503 })
      },
    ],
    [
      'key.once',
      'it is cancelled, and only a publishable key asked for that',
      ({ calls, setting }) => {
        const key = { id: 'publishable', mode: 'test', kind: 'publishable', secret: 'pk_test' } as const
        the(setting.businesses[0]).keys.push(key)
        Object.assign(the(calls.find(({ what }) => what === 'cancel')), { keyId: key.id, status: 503 })
      },
    ],
    [
      'key.once',
      'two keys cancelled it',
      (round) => {
        const first = the(round.calls.find(({ what }) => what === 'cancel'))
        triedAgain(round, first.idempotencyKey ?? '', { idempotencyKey: 'another' })
      },
    ],
    [
      'key.once',
      'a product is there that nobody made',
      ({ dump, product }) => dump.products.push({ ...product, _id: 'extra', handle: 'extra' }),
    ],
    [
      'key.once',
      'two products bear one key',
      (round) => {
        round.product.name = `${shop.marker} product-1`
        // Each has an answer that names it.
        triedAgain(round, 'product-1', { idempotencyKey: 'another', answer: good({ _id: 'extra' }) })
        round.dump.products.push({ ...round.product, _id: 'extra', handle: 'extra' })
      },
    ],
    [
      'key.replayed',
      'the same key is answered otherwise',
      (round) => {
        const first = the(round.calls.find(({ what }) => what === 'create'))
        const headers = { ...first.headers, 'idempotent-replayed': 'true', 'x-request-id': 'another' }
        round.calls.push({
          ...first,
          call: 99,
          began: at(60),
          ended: at(61),
          headers,
          answer: good(shown(round.cancelled)),
        })
      },
    ],
    [
      'key.replayed',
      'the same is answered in other bytes',
      (round) => {
        the(round.calls.find(({ idempotencyKey }) => idempotencyKey === 'create-paid')).answerHash = 'first'
        const replay = triedAgain(round, 'create-paid', { began: at(60), ended: at(61), answerHash: 'other' })
        replay.headers['idempotent-replayed'] = 'true'
      },
    ],
    [
      'key.replayed',
      'a replay does not say so',
      (round) => {
        const first = the(round.calls.find(({ what }) => what === 'create'))
        round.calls.push({
          ...first,
          call: 99,
          began: at(60),
          ended: at(61),
          headers: { 'x-request-id': 'another' },
        })
      },
    ],
    [
      'key.replayed',
      'other parameters are not told',
      (round) => {
        const first = the(round.calls.find(({ what }) => what === 'create'))
        const headers = { ...first.headers, 'idempotent-replayed': 'true', 'x-request-id': 'another' }
        round.calls.push({ ...first, call: 99, began: at(60), ended: at(61), headers, body: { amount: 2 } })
      },
    ],
    [
      'move.legal',
      'a cancel that was answered is undone',
      ({ cancelled }) => {
        Object.assign(cancelled, { status: 'PENDING', cancellationReason: null })
      },
    ],
    ['move.legal', 'its status is not that of its fields', ({ paid }) => (paid.status = 'PAID')],
    ['move.legal', 'it is paid and cancelled', ({ paid }) => (paid.cancellationReason = 'expired')],
    [
      'move.legal',
      'it came to two ends',
      ({ dump, cancelled }) => {
        const told = the(dump.deliveries.find(({ event }) => event === 'payment.expired'))
        const body = told.body.replaceAll(told.referenceNumber, cancelled.referenceNumber)
        dump.deliveries.push({
          ...told,
          _id: 'x'.repeat(32),
          eventId: 'other',
          referenceNumber: cancelled.referenceNumber,
          body,
        })
      },
    ],
    ['move.legal', 'a refund that was answered is gone', ({ paid }) => paid.refunds.pop()],
    [
      'read.forward',
      'it reads as PENDING after it was paid',
      (round) => {
        const seen = read(round, round.paid, 12)
        seen.answer = good({ ...shown(round.paid), status: 'PENDING', totalAmountRefunded: 0, refunds: [] })
      },
    ],
    [
      'read.forward',
      'less is refunded than before',
      (round) => {
        const seen = read(round, round.paid, 12)
        seen.answer = good({ ...shown(round.paid), totalAmountRefunded: 0, refunds: [] })
      },
    ],
    ['code.unique', 'two have one code', ({ paid, cancelled }) => (cancelled.code = paid.code)],
    [
      'code.unique',
      'two have one short code',
      ({ paid, cancelled }) => (cancelled.shortCode = paid.shortCode),
    ],
    [
      'code.unique',
      'a code rests for too long',
      ({ paid }) => (paid.codeReusableAt = paid.codeExpiresAt + 900_000),
    ],
    ['code.unique', 'a code is free too early', ({ paid }) => delete paid.codeKey],
    [
      'code.unique',
      'the code of a paid one is shown',
      (round) => {
        const seen = read(round, round.paid, 12)
        seen.answer = good({ ...shown(round.paid), code: round.paid.code })
      },
    ],
    ['expiry.prompt', 'it expired before its time', ({ expired }) => (expired.updatedAt -= 500)],
    [
      'expiry.prompt',
      'its event is late',
      (round) => {
        read(round, round.paid, 40)
        the(round.dump.deliveries.find(({ event }) => event === 'payment.expired')).createdAt += 30_000
      },
    ],
    [
      'expiry.prompt',
      'it reads as PENDING past its end',
      (round) => {
        read(round, round.expired, 40).answer = good({
          ...shown(round.expired),
          status: 'PENDING',
          cancellationReason: undefined,
        })
      },
    ],
    [
      'expiry.prompt',
      'it was paid past its end',
      ({ paid }) => {
        paid.expiresAt = at(4)
      },
    ],
    [
      'expiry.prompt',
      'a simulation paid it at its end',
      ({ paid }) => Object.assign(paid.payment ?? {}, { paidAt: paid.expiresAt }),
    ],
    [
      'expiry.prompt',
      'it was cancelled at its end',
      ({ cancelled }) => (cancelled.updatedAt = cancelled.expiresAt),
    ],
    [
      'expiry.prompt',
      'it never expired',
      ({ expired }) => Object.assign(expired, { status: 'PENDING', cancellationReason: null }),
    ],
    [
      'tenant.apart',
      'another reads it',
      (round) => {
        Object.assign(read(round, round.paid, 20), { business: other.id, keyId: other.key })
      },
    ],
    [
      'tenant.apart',
      "another's words are in an answer",
      (round) => {
        call(round, 20, {
          what: 'product.list',
          method: 'GET',
          path: '/api/v1/dev/store/products',
          answer: good({ items: [{ name: `${other.marker} 1` }] }),
        })
      },
    ],
    [
      'tenant.apart',
      'a stranger is served',
      (round) => {
        call(round, 20, {
          what: 'cancel',
          actor: 'stranger',
          path: '/api/v1/dev/intents/PI-XXXXXXXXXXXXXXXX/cancel',
          answer: good({}),
        })
      },
    ],
    [
      'tenant.apart',
      'a delivery is of another',
      ({ dump }) => (the(dump.deliveries[0]).businessId = other.id),
    ],
    [
      'tenant.apart',
      'an event says another environment',
      ({ arrivals }) => {
        const first = the(arrivals[0])
        first.body = first.body.replace('"sandbox":true', '"sandbox":false')
      },
    ],
    [
      'answer.sound',
      'a request id comes twice',
      ({ calls }) => (the(calls[1]).headers['x-request-id'] = 'request-1'),
    ],
    ['answer.sound', 'it is a 500', ({ calls }) => (the(calls[1]).status = 500)],
    [
      'answer.sound',
      'it is a 503 and nothing was wrong',
      (round) => {
        call(round, 20, {
          what: 'read',
          path: '/api/v1/dev/intents/x',
          status: 503,
          answer: { success: false, error: { code: 'SERVICE_UNAVAILABLE', statusCode: 503, message: '' } },
        })
      },
    ],
    ['answer.sound', 'it has no envelope', ({ calls }) => (the(calls[1]).answer = { data: {} })],
    [
      'answer.sound',
      'its code has another status',
      (round) => {
        call(round, 20, {
          what: 'read',
          path: '/api/v1/dev/intents/x',
          status: 400,
          answer: { success: false, error: { code: 'INTENT_NOT_FOUND', statusCode: 400, message: '' } },
        })
      },
    ],
    [
      'answer.sound',
      'there is none and nothing was wrong',
      (round) => {
        read(round, round.paid, 20)
        call(round, 20, { what: 'read', path: '/api/v1/dev/intents/x', status: null, headers: {} })
      },
    ],
    ['quiet.reached', 'it never became quiet', ({ setting }) => (setting.quietAt = null)],
    [
      'quiet.reached',
      'an event waits',
      ({ paid }) => paid.outbox.push({ id: 'x', event: 'payment.confirmed' }),
    ],
    ['quiet.reached', 'a payment is under way', ({ paid }) => (paid.hold = { id: 'x', validUntil: at(20) })],
    ['clean-up.bounded', 'a delivery of a young one is gone', (round) => goneDelivery(round, round.paid)],
    ['clean-up.bounded', 'a young one is marked', ({ paid }) => (paid.cleanedAt = at(50))],
    [
      'clean-up.bounded',
      'a product is gone that was shown',
      (round) => {
        const { product } = round
        const answer = good({
          items: [{ _id: product._id, sandbox: true, createdAt: new Date(product.createdAt).toISOString() }],
        })
        call(round, 20, { what: 'product.list', path: '/api/v1/dev/store/products', answer })
        round.dump.products.pop()
      },
    ],
    [
      'secret.kept',
      'a key is logged',
      ({ lines, setting }) => {
        lines.push({
          from: 'log/web-1.log',
          line: `{"key":"${the(the(setting.businesses[0]).keys[0]).secret}"}`,
        })
      },
    ],
    [
      'secret.kept',
      'the secret of an endpoint is stored',
      ({ lines }) => {
        lines.push({ from: 'dump/webhookendpoints.ndjson', line: `{"secret":"${'a'.repeat(64)}"}` })
      },
    ],
    [
      'secret.kept',
      'a payment code is a field of a log',
      ({ lines, paid }) => lines.push({ from: 'log/web-1.log', line: JSON.stringify({ code: paid.code }) }),
    ],
    [
      'secret.kept',
      'a PIN is a number in a log',
      ({ lines }) => lines.push({ from: 'log/web-1.log', line: '{"event":"order.new","pin":918273}' }),
    ],
    [
      'secret.kept',
      'a phone number is logged with its country',
      ({ lines }) =>
        lines.push({ from: 'log/web-1.log', line: '{"event":"order.new","of":"tel:+22222999999"}' }),
    ],
    [
      'secret.kept',
      'a PIN is logged',
      ({ lines }) => lines.push({ from: 'log/web-1.log', line: '{"msg":"pin 918273"}' }),
    ],
    [
      'secret.kept',
      'a phone number is stored with a payment',
      ({ lines }) => {
        lines.push({ from: 'dump/intents.ndjson', line: '{"payment":{"payerPhone":"22999999"}}' })
      },
    ],
    [
      'secret.kept',
      'the phone number of who ordered is logged',
      (round) => {
        const body = { customer: { name: 'Aicha', phone: '36458267' } }
        call(round, 20, { what: 'order', path: '/api/v1/dev/store/orders/simulate', status: 400, body })
        round.lines.push({ from: 'log/web-1.log', line: '{"msg":"ordered by 36458267"}' })
      },
    ],
    [
      'secret.kept',
      'the proof of a link is logged',
      (round) => {
        const path = `/p/${round.paid.shortCode}?lang=en&proof=V5-dimSEqVzEd1vQV-PmcQ`
        call(round, 20, { what: 'pay.page', method: 'GET', path, status: 200 })
        round.lines.push({ from: 'log/web-1.log', line: JSON.stringify({ url: path }) })
      },
    ],
    [
      'secret.kept',
      'a payment code is logged',
      ({ lines, paid }) => {
        lines.push({
          from: 'log/web-1.log',
          line: JSON.stringify({ err: { message: `dup key: ${paid.code} ` } }),
        })
      },
    ],
  ])
})
