import { expect } from 'chai'
import type { Call } from '../evidence/evidence.ts'
import { judge } from './check.ts'
import { at, idOf } from './story/clock.ts'
import { endpointId, read, shown } from './story/happenings.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { type Perturbation, tellsOf, the } from './story/perturbations.ts'
import { call, good } from './story/story.ts'
import { statusOf } from './views/catalogue.ts'

const intents = '/api/v1/dev/intents'

/** It is refused with that code. */
function refused(given: Call, code: string): void {
  const statusCode = statusOf[code] ?? 0
  Object.assign(given, {
    status: statusCode,
    answer: { success: false, error: { code, message: '', statusCode } },
  })
}

/** A write of the shop is refused with that code. */
const refuses = (
  round: Ordinary,
  seconds: number,
  code: string,
  given: Partial<Call> & Pick<Call, 'what' | 'path'>,
): void => refused(call(round, seconds, { idempotencyKey: `refused-${seconds}`, ...given }), code)

const ofPaid = ({ paid }: Ordinary, verb: string): string => `${intents}/${paid.referenceNumber}/${verb}`
const ofStock = ({ product }: Ordinary): string =>
  `/api/v1/dev/store/products/${product._id}/variants/Default/stock`

/** The auditor's list of the shop's intents, two a page, newest first. */
function listed(
  round: Ordinary,
  change: (data: { items: object[]; total: number; hasMore: boolean }) => void,
): void {
  const newest = round.dump.intents.toSorted((one, other) => other.createdAt - one.createdAt)
  for (const page of [1, 2]) {
    const items = newest.slice(2 * page - 2, 2 * page).map(shown)
    const data = { items, page, limit: 2, total: newest.length, hasMore: page === 1 }
    if (page === 2) change(data)
    const path = `${intents}?limit=2&page=${page}`
    call(round, 205 + page, { what: 'list', actor: 'auditor', method: 'GET', path, answer: good(data) })
  }
}

/** "Come again" to a refund, with nothing wrong. */
function busy(round: Ordinary): Call {
  const made = { what: 'refund', path: ofPaid(round, 'refund'), idempotencyKey: 'busy' } as const
  const asked = call(round, 90, { ...made, body: { amount: 100 } })
  refused(asked, 'SERVICE_UNAVAILABLE')
  return asked
}

/** The provider is asked about an order, and does not know it. */
function unheard({ provider }: Ordinary, key: string): void {
  const asked = { kind: 'refund', asks: 'outcome', key, status: 'unknown', did: 404 } as const
  const nobody = { amount: null, businessId: null, reference: null, paymentKey: null, phone: null }
  provider.push({ at: at(30), clockAheadMs: 0, decided: false, ...asked, ...nobody })
}

/** A shop may have five; it has so many. */
function endpoints(round: Ordinary, count: number): void {
  const [first] = round.dump.webhookendpoints
  for (let number = 1; number < count; number += 1)
    round.dump.webhookendpoints.push({
      ...the(first),
      _id: idOf(`endpoint-${number}`),
      events: [],
      createdAt: at(0),
    })
}

/** Somebody is refused what nothing stood against. */
const notDue = (
  what: string,
  seconds: number,
  code: string,
  given: (round: Ordinary) => Parameters<typeof refuses>[3],
): Perturbation => ['refusal.due', what, (round) => refuses(round, seconds, code, given(round))]

const registers = { what: 'endpoint.create', path: '/api/v1/dev/webhooks/endpoints' } as const
const promisesIn = (round: Ordinary) => new Set(judge(round).map(({ promise }) => promise))

describe('The checker of faults, of refusals,', () => {
  it('lets a refusal pass that was due', () => {
    const round = ordinary()
    refuses(round, 20, 'AMOUNT_OUT_OF_RANGE', {
      what: 'create',
      path: intents,
      expects: ['AMOUNT_OUT_OF_RANGE'],
    })
    refuses(round, 21, 'INTENT_CANCEL_INVALID_STATUS', { what: 'cancel', path: ofPaid(round, 'cancel') })
    refuses(round, 22, 'INTENT_NOT_PENDING', { what: 'simulate', path: ofPaid(round, 'simulate-payment') })
    const refund = { what: 'refund', path: ofPaid(round, 'refund') } as const
    refuses(round, 23, 'AMOUNT_OUT_OF_RANGE', { ...refund, body: { amount: 301 } })
    refuses(round, 24, 'REFUND_AMOUNT_MISMATCH', { ...refund, body: { expectedRefundable: 500 } })
    refuses(round, 4, 'INTENT_REFUND_INVALID_STATUS', refund)
    refuses(round, 25, 'INSUFFICIENT_STOCK', { what: 'stock', path: ofStock(round), body: { delta: -13 } })
    endpoints(round, 5)
    refuses(round, 26, 'MAX_ENDPOINTS_REACHED', registers)
    expect(judge(round).filter(({ promise }) => promise === 'refusal.due')).to.deep.equal([])
  })

  it('knows what was in stock of a product that the clean-up took since', () => {
    const round = ordinary()
    call(round, 14, {
      what: 'stock',
      method: 'PATCH',
      path: ofStock(round),
      idempotencyKey: 'count',
      body: { stock: 2 },
      answer: good({ productId: round.product._id, stock: 2 }),
    })
    round.dump.products = []
    const takes = (delta: number) => ({ what: 'stock', path: ofStock(round), body: { delta } }) as const
    refuses(round, 20, 'INSUFFICIENT_STOCK', takes(-3))
    expect(promisesIn(round)).not.to.include('refusal.due')
    refuses(round, 25, 'INSUFFICIENT_STOCK', takes(-2))
    expect(promisesIn(round)).to.include('refusal.due')
  })

  it('lets somebody be told to slow down who asked more than a thousand times within a second', () => {
    const round = ordinary()
    for (let count = 1; count <= 1000; count += 1) read(round, round.paid, 20)
    refused(read(round, round.paid, 20.5), 'RATE_LIMITED')
    expect(promisesIn(round)).not.to.include('refusal.due')
    refused(read(round, round.paid, 22), 'RATE_LIMITED')
    expect(promisesIn(round)).to.include('refusal.due')
  })

  it('lets a third list of a business be refused while two run, also one whose caller has gone', () => {
    const round = ordinary()
    const lists = (seconds: number, given: Partial<Call> = {}) =>
      call(round, seconds, { what: 'list', method: 'GET', path: intents, ...given })
    const error = {
      code: 'RATE_LIMITED',
      message: '',
      statusCode: 429,
      details: { scope: 'lists', limit: 2 },
    }
    lists(20, { status: 429, answer: { success: false, error } })
    lists(20)
    expect(promisesIn(round)).to.include('refusal.due')
    lists(10, { what: 'order.list', status: null, answer: null })
    expect(promisesIn(round)).not.to.include('refusal.due')
  })

  it('lets a request be too late that is the first on a connection of 15 s, and no other', () => {
    for (const [silentMs, isDue] of [
      [13_500, true],
      [16_500, true],
      [12_500, false],
      [17_500, false],
      [null, false],
    ] as const)
      for (const of of [
        { what: 'read', path: ofPaid(ordinary(), '') },
        { what: 'pay.status', actor: 'customer', business: null, keyId: null, path: '/p/ABCDEF/status' },
      ] as const) {
        const round = ordinary()
        refused(call(round, 40, { ...of, method: 'GET', silentMs }), 'REQUEST_TIMEOUT')
        const isTold = promisesIn(round).has('refusal.due')
        expect(isTold, `${of.what}, after ${silentMs} ms`).to.equal(!isDue)
      }
  })

  it('lets a refund fail that never came to its wallet, where something stood still, and no other', () => {
    for (const wallet of ['live:provider', 'sandbox'])
      for (const [isDisturbed, isDone] of [
        [true, false],
        [true, true],
        [false, false],
      ]) {
        const round = ordinary()
        const payment = { ...the(round.paid.payment ?? undefined), wallet }
        const attempt = {
          kind: 'refund',
          id: 'RF-L',
          at: at(20),
          amount: 1,
          outcome: 'not-executed',
        } as const
        Object.assign(round.paid, { sandbox: wallet === 'sandbox', payment, attempts: [attempt] })
        const row = {
          _id: 'RF-L',
          accountId: null,
          kind: 'refund',
          amount: 1,
          result: { outcome: 'done' },
        } as const
        if (isDone) round.dump.walletmovements.push(row)
        refuses(round, 20, 'REFUND_FAILED', {
          what: 'refund',
          path: ofPaid(round, 'refund'),
          body: { amount: 1 },
        })
        const stopped = { what: 'process.stop', target: 'web-1', began: at(19), ended: at(20) }
        if (isDisturbed) round.faults.push(stopped)
        const isExcused = isDisturbed && !isDone
        expect(promisesIn(round).has('refusal.due'), `${wallet} ${isDisturbed} ${isDone}`).to.equal(
          !isExcused,
        )
      }
  })

  it('lets a simulation fail of an intent that was cleaned away since: its amount may have been the one that fails', () => {
    const round = ordinary()
    const path = '/api/v1/dev/intents/PI-GGGGGGGGGGGGGGGG/simulate-payment'
    refuses(round, 4, 'PAYMENT_FAILED', { what: 'simulate', path, body: {} })
    expect(promisesIn(round).has('refusal.due')).to.equal(false)
  })

  it('lets a service be busy with another refund, where whoever came again was answered', () => {
    for (const [isAnswered, hasRival] of [
      [true, true],
      [false, true],
      [true, false],
    ]) {
      const round = ordinary()
      const asked = busy(round)
      if (hasRival)
        refuses(round, 89.95, 'AMOUNT_OUT_OF_RANGE', {
          what: 'refund',
          path: asked.path,
          body: { amount: 900 },
        })
      if (isAnswered)
        refused(
          call(round, 92, { ...asked, call: 500, attempt: 2, headers: {}, began: at(92), ended: at(92.1) }),
          'AMOUNT_OUT_OF_RANGE',
        )
      expect(promisesIn(round).has('answer.sound'), `${isAnswered} ${hasRival}`).to.equal(
        !isAnswered || !hasRival,
      )
    }
  })

  it('lets a refund come to nothing that its provider never heard of, and say "come again" until that is sure', () => {
    for (const [isAsked, isSure] of [
      [true, true],
      [true, false],
      [false, true],
    ]) {
      const round = ordinary()
      const lost = { kind: 'refund', id: 'RF-L', amount: 1, outcome: 'not-executed' } as const
      const times = { createdAt: at(20), validUntil: at(26) }
      if (isSure) round.paid.attempts.push({ ...lost, at: at(118) })
      else round.paid.refunds.push({ id: 'RF-L', amount: 1, reason: null, status: 'PENDING', ...times })
      round.paid.payment = { ...the(round.paid.payment ?? undefined), wallet: 'live:provider' }
      const given = { what: 'refund', path: ofPaid(round, 'refund'), idempotencyKey: 'lost' } as const
      call(round, 20, { ...given, body: { amount: 1 }, status: null, headers: {}, answer: null })
      for (const [attempt, seconds] of [60, 90].entries())
        refused(
          call(round, seconds, { ...given, body: { amount: 1 }, attempt: attempt + 2 }),
          'SERVICE_UNAVAILABLE',
        )
      if (isSure) refused(call(round, 120, { ...given, body: { amount: 1 }, attempt: 4 }), 'REFUND_FAILED')
      round.faults.push({ what: 'process.kill', target: 'web-1', began: at(20), ended: at(22) })
      if (isAsked) unheard(round, 'RF-L')
      const told = promisesIn(round)
      expect(told.has('refusal.due')).to.equal(false)
      expect(told.has('answer.sound'), `${isAsked} ${isSure}`).to.equal(!isAsked)
    }
  })

  it('lets what a provider never heard of, and may have forgotten by now, wait for a person', () => {
    for (const [daysAgo, isDue] of [
      [28, true],
      [30, false],
    ] as const) {
      const round = ordinary()
      round.paid.hold = { id: 'x', validUntil: at(-daysAgo * 86_400) }
      expect(promisesIn(round).has('quiet.reached')).to.equal(true)
      unheard(round, 'x')
      expect(promisesIn(round).has('quiet.reached'), `${daysAgo} days`).to.equal(isDue)
    }
  })

  it('takes a list for exact that has everything once', () => {
    const round = ordinary()
    listed(round, () => undefined)
    expect(judge(round)).to.deep.equal([])
  })

  it('lets a viewer and a publishable key be refused', () => {
    const round = ordinary()
    the(round.setting.businesses[0]).keys.push({
      id: idOf('pk'),
      mode: 'test',
      kind: 'publishable',
      secret: 'pk',
    })
    const path = `/admin/deliveries/${the(round.dump.deliveries[0])._id}/send-again`
    const viewer = { what: 'overreach', actor: 'support', business: null, keyId: null, path } as const
    call(round, 20, { ...viewer, status: 403, answer: { text: 'Not allowed', state: null, location: null } })
    const overstep = {
      what: 'create',
      path: intents,
      keyId: idOf('pk'),
      expects: ['SECRET_KEY_REQUIRED'],
    } as const
    refuses(round, 21, 'SECRET_KEY_REQUIRED', overstep)
    expect(judge(round)).to.deep.equal([])
  })

  tellsOf([
    [
      'refusal.due',
      'what was made is not found',
      (round) => refused(read(round, round.paid, 20), 'INTENT_NOT_FOUND'),
    ],
    notDue('a good body is refused', 20, 'VALIDATION_ERROR', () => ({ what: 'create', path: intents })),
    [
      'refusal.due',
      'somebody asks too often who does not',
      (round) => refused(read(round, round.paid, 20), 'RATE_LIMITED'),
    ],
    ['refusal.due', 'a good key is none', (round) => refused(read(round, round.paid, 20), 'INVALID_API_KEY')],
    notDue('what is PENDING cannot be cancelled', 3, 'INTENT_CANCEL_INVALID_STATUS', (round) => ({
      what: 'cancel',
      path: ofPaid(round, 'cancel'),
    })),
    notDue('a part of what is left cannot be given back', 20, 'AMOUNT_OUT_OF_RANGE', (round) => ({
      what: 'refund',
      path: ofPaid(round, 'refund'),
      body: { amount: 300 },
    })),
    notDue('what is paid cannot be given back', 7.5, 'INTENT_REFUND_INVALID_STATUS', (round) => ({
      what: 'refund',
      path: ofPaid(round, 'refund'),
    })),
    notDue('what is left is another sum', 20, 'REFUND_AMOUNT_MISMATCH', (round) => ({
      what: 'refund',
      path: ofPaid(round, 'refund'),
      body: { expectedRefundable: 300 },
    })),
    notDue('a refund fails by itself', 20, 'REFUND_FAILED', (round) => ({
      what: 'refund',
      path: ofPaid(round, 'refund'),
      body: { amount: 1 },
    })),
    notDue('a simulation fails that was to succeed', 4, 'PAYMENT_FAILED', (round) => ({
      what: 'simulate',
      path: ofPaid(round, 'simulate-payment'),
      body: {},
    })),
    notDue('there is stock, and it is refused', 20, 'INSUFFICIENT_STOCK', (round) => ({
      what: 'stock',
      path: ofStock(round),
      body: { delta: -12 },
    })),
    notDue('there is room for an endpoint', 20, 'MAX_ENDPOINTS_REACHED', () => registers),
    notDue('an endpoint is not found', 20, 'ENDPOINT_NOT_FOUND', () => ({
      what: 'endpoint.update',
      path: `/api/v1/dev/webhooks/endpoints/${endpointId}`,
    })),
    notDue('nobody else has the key', 20, 'IDEMPOTENCY_REQUEST_IN_PROGRESS', () => ({
      what: 'create',
      path: intents,
    })),
    ['answer.sound', 'a refund hears "come again", and nothing was wrong', (round) => void busy(round)],
    [
      'right.kept',
      'a viewer acts',
      (round) => {
        const of = { business: null, keyId: null, path: '/admin/deliveries/x/send-again' }
        call(round, 20, { what: 'overreach', actor: 'support', ...of, status: 303, answer: null })
      },
    ],
    [
      'right.kept',
      'the trail has an act of a viewer',
      ({ setting }) => (the(setting.staff[0]).role = 'viewer'),
    ],
    [
      'right.kept',
      'a publishable key lists',
      (round) => {
        the(round.setting.businesses[0]).keys.push({
          id: 'pk',
          mode: 'test',
          kind: 'publishable',
          secret: 'pk',
        })
        const answer = good({ items: [], page: 1, limit: 20, total: 0, hasMore: false })
        call(round, 20, { what: 'list', method: 'GET', path: intents, keyId: 'pk', answer })
      },
    ],
    ['list.exact', 'the total is another', (round) => listed(round, (data) => (data.total -= 1))],
    [
      'list.exact',
      'there is more behind its end',
      (round) => listed(round, (data) => Object.assign(data, { items: [], hasMore: true })),
    ],
    [
      'list.exact',
      'another is there in the place of one',
      (round) => listed(round, ({ items }) => Object.assign(the(items[0]), { referenceNumber: 'PI-X' })),
    ],
    ['list.exact', 'one is missing', (round) => listed(round, (data) => data.items.pop())],
    ['list.exact', 'one is there twice', (round) => listed(round, ({ items }) => items.push(the(items[0])))],
    [
      'list.exact',
      'an older one comes first',
      (round) => listed(round, (data) => (data.items = data.items.toReversed())),
    ],
  ])
})
