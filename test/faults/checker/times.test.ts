import { expect } from 'chai'
import { check, judge } from './check.ts'
import { promises } from './promises/promises.ts'
import { roundOf } from './round.ts'
import { at, idOf } from './story/clock.ts'
import { create, endpointId, expire, headersOf, read, secret, shown, tell } from './story/happenings.ts'
import { type Ordinary, ordinary } from './story/ordinary.ts'
import { tellsOf, the } from './story/perturbations.ts'
import { arrival, call, good } from './story/story.ts'

const dayMs = 86_400_000

/** Of one promise, what is told. */
const toldOf = (round: Ordinary, promise: string) =>
  judge(round).filter((violation) => violation.promise === promise)

const busy = (round: Ordinary, from: number, to: number): void =>
  void round.faults.push({ what: 'machine.busy', target: 'machine', began: at(from), ended: at(to) })
const kill = (round: Ordinary, seconds: number): void =>
  void round.faults.push({ what: 'process.kill', target: 'web-1', began: at(seconds), ended: at(seconds) })

/** From `seconds` on all clocks are ahead by more. */
function jump(round: Ordinary, seconds: number, byMs: number): void {
  const moment = { began: at(seconds), ended: at(seconds) }
  round.faults.push({ what: 'clock.jump', target: `all +${byMs}`, ...moment })
  for (const each of round.calls)
    if (each.began > at(seconds))
      each.clockAheadMs = [each.clockAheadMs[0] + byMs, each.clockAheadMs[1] + byMs]
  for (const each of round.arrivals) if (each.at > at(seconds)) each.clockAheadMs += byMs
}

/** Nobody is answered for 12 s. */
const silence = (round: Ordinary): void => {
  round.calls = round.calls.filter(({ began }) => began < at(40))
  for (const seconds of [40, 41, 42]) {
    const asked = call(round, seconds, {
      what: 'list',
      method: 'GET',
      path: '/api/v1/dev/intents',
      status: null,
    })
    Object.assign(asked, { headers: {}, ended: asked.began + asked.timeoutMs })
  }
}

const expiredEvent = ({ dump }: Ordinary) =>
  the(dump.deliveries.find(({ event }) => event === 'payment.expired'))

/** The event of the intent that expired comes half a minute late. */
const lateEvent = (round: Ordinary): void => void (expiredEvent(round).createdAt += 30_000)

/** One more arrival that no attempt records. */
function unrecorded(round: Ordinary, seconds: number): void {
  const { body, event } = the(round.dump.deliveries[0])
  arrival(round, { at: at(seconds), body, headers: headersOf(event, at(seconds), body) })
}

/** The shop replaces its endpoint's secret. */
const rotate = (round: Ordinary, seconds: number, replacement: string): void =>
  void call(round, seconds, {
    what: 'endpoint.rotate',
    path: `/api/v1/dev/webhooks/endpoints/${endpointId}/rotate-secret`,
    idempotencyKey: `rotate-${seconds}`,
    answer: good({ id: endpointId, secret: replacement }),
  })

/** What comes after `seconds` is signed anew, the newest secret first. */
function resign(round: Ordinary, seconds: number, secrets: readonly string[]): void {
  for (const each of round.arrivals.filter((one) => one.at > at(seconds)))
    each.headers = headersOf(
      each.headers['x-service-event'] ?? '',
      each.at + each.clockAheadMs,
      each.body,
      secrets,
    )
}

describe('The checker of faults, of time,', () => {
  it('says how many things each promise would have told of, and none where the machine was busy most of the time', () => {
    const round = roundOf(ordinary())
    for (const broken of Object.values(promises)) expect([...broken(round)]).to.deep.equal([])
    for (const [promise, count] of Object.entries(round.judged)) expect(count, promise).to.be.above(0)
    const late = ordinary()
    busy(late, 50, 160)
    const judged = roundOf(late)
    for (const broken of Object.values(promises)) expect([...broken(judged)]).to.deep.equal([])
    expect(judged.judged).to.include({ 'answer.sound': 0, 'delivery.paced': 0, 'expiry.prompt': 0 })
    expect(judged.times.busy).to.deep.equal({ ms: 110_000, ofMs: 200_000, isMostly: true })
  })

  it('tells nothing of evidence that cannot be read but that', async () => {
    const { violations, judged } = await check('/nowhere')
    expect(violations.map(({ promise }) => promise)).to.deep.equal(['round.ended'])
    expect(new Set(Object.values(judged))).to.deep.equal(new Set([0]))
  })

  it('lets what is late pass where the machine was busy, and not long after it was for a moment', () => {
    for (const [from, to, count] of [
      [30, 34, 0],
      [25, 25.3, 1],
    ] as const) {
      const round = ordinary()
      lateEvent(round)
      busy(round, from, to)
      expect(toldOf(round, 'expiry.prompt')).to.have.lengthOf(count)
    }
  })

  it('lets an arrival pass that nobody wrote down right after a fault, and no other', () => {
    for (const [seconds, count] of [
      [55, 0],
      [57, 1],
    ] as const) {
      const round = ordinary()
      kill(round, 50)
      unrecorded(round, seconds)
      expect(toldOf(round, 'delivery.counted')).to.have.lengthOf(count)
    }
  })

  it('lets a signature pass that was made before all clocks were set', () => {
    const round = ordinary()
    // Nobody signed anew: each is as if it had been on its way when they were set, at 6 s.
    jump(round, 6, dayMs)
    const late = round.arrivals.filter((each) => each.at > at(30)).map(({ body }) => body)
    const told = toldOf(round, 'delivery.signed').filter(({ says }) => says.startsWith('was signed'))
    expect(told).to.have.lengthOf(late.length)
    for (const { of } of told) expect(late.some((body) => body.includes(of))).to.equal(true)
  })

  it('counts the day of a replaced secret from its own replacement, whatever was replaced since', () => {
    const [second, third] = ['b'.repeat(64), 'c'.repeat(64)]
    for (const [byMs, secrets, isTold] of [
      [dayMs, [third, second], false],
      [dayMs, [third], true],
      [dayMs / 2, [third, second], true],
      [dayMs / 2, [third, second, secret], false],
    ] as const) {
      const round = ordinary()
      rotate(round, 12, second)
      rotate(round, 28, third)
      jump(round, 16, byMs)
      resign(round, 30, secrets)
      expect(toldOf(round, 'delivery.signed').length > 0, `${byMs} ${secrets.length}`).to.equal(isTold)
    }
  })

  it('excuses nothing because of a skewed wall clock, which decides nothing', () => {
    const refundBefore = (round: Ordinary): void => {
      const [endpoint] = round.dump.webhookendpoints
      const refunded = the(round.dump.deliveries.find(({ event }) => event === 'payment.refunded'))
      const late = { _id: idOf('late'), events: ['payment.refunded'], createdAt: at(60) }
      round.dump.webhookendpoints.push({ ...the(endpoint), ...late })
      round.dump.deliveries.push({ ...refunded, _id: 'late', endpointId: late._id, createdAt: at(57) })
    }
    const readAsExpired = (round: Ordinary): void => {
      const { referenceNumber } = round.paid
      read(round, round.paid, 4).answer = good({ ...shown(round.expired), referenceNumber })
    }
    for (const [promise, perturb] of [
      ['delivery.paced', (round) => void (the(expiredEvent(round).attemptLog[1]).at = at(33.55))],
      ['code.unique', (round) => void (round.paid.codeReusableAt -= 2500)],
      ['move.legal', readAsExpired],
      ['event.exact', refundBefore],
    ] as const satisfies [string, (round: Ordinary) => void][]) {
      const round = ordinary()
      for (const target of ['web-1 +111000', 'worker-1 -111000'])
        round.faults.push({ what: 'process.skew', target, began: at(0), ended: at(60) })
      expect(toldOf(round, promise), promise).to.have.length(0)
      perturb(round)
      expect(toldOf(round, promise).length, promise).to.be.above(0)
    }
  })

  it('lets a day pass after which nothing old is left', () => {
    const round = ordinary()
    jump(round, 150, dayMs)
    expect(toldOf(round, 'clean-up.bounded')).to.deep.equal([])
  })

  it('judges the events of a long round in a moment', () => {
    const round = ordinary()
    const [endpoint] = round.dump.webhookendpoints
    round.dump.webhookendpoints.push({ ...the(endpoint), _id: 'b'.repeat(24), events: ['order.new'] })
    for (let each = 0; each < 3000; each += 1) {
      // References have no 0 and no 1.
      const name = each.toString(8).replaceAll('0', '8').replaceAll('1', '9')
      const intent = create(round, name, 40 + each / 100)
      tell(round, intent, 'payment.created', 40 + each / 100)
      expire(intent)
      tell(round, intent, 'payment.expired', 70 + each / 100)
    }
    const begun = process.cpuUsage()
    expect([...promises['event.exact'](roundOf(round))]).to.deep.equal([])
    expect(process.cpuUsage(begun).user / 1000).to.be.below(2000)
  })

  it('lets an attempt be late whose receiver was slow the last time, and not where that is long ago', () => {
    for (const [others, count] of [
      [0, 0],
      [30, 1],
    ] as const) {
      const round = ordinary()
      const { attemptLog, createdAt } = expiredEvent(round)
      the(attemptLog[1]).at += 30_000
      const quick = { ...the(attemptLog[0]), status: 200 }
      const tries = Array.from({ length: others }, (_, index) => ({ ...quick, at: createdAt - index - 1 }))
      const slow = { ...quick, at: createdAt - 10_000, durationMs: 1500 }
      round.dump.deliveries.push({ ...expiredEvent(round), _id: 'others', attemptLog: [...tries, slow] })
      const told = toldOf(round, 'delivery.paced').filter(
        ({ of, says }) => of !== 'others' && says.endsWith('wrong'),
      )
      expect(told).to.have.lengthOf(count)
    }
  })

  it('knows of a wallet what a payment took that the clean-up has taken since', () => {
    for (const missing of [0, 1]) {
      const round = ordinary()
      read(round, round.byWallet, 20)
      jump(round, 110, 31 * dayMs)
      round.dump.intents = round.dump.intents.filter((each) => each !== round.byWallet)
      round.dump.walletmovements = []
      the(round.dump.wallets[0]).balance -= missing
      expect(toldOf(round, 'wallet.balances')).to.have.lengthOf(missing)
    }
  })

  tellsOf([
    ['answer.sound', 'nobody is answered, whoever asks', silence],
    [
      'answer.sound',
      'nobody was answered before something was done',
      (round) => {
        silence(round)
        kill(round, 60)
      },
    ],
    ['expiry.prompt', 'its event is late, and nobody else asks anything', lateEvent],
    [
      'expiry.prompt',
      'its event was late before something was done',
      (round) => {
        lateEvent(round)
        kill(round, 45)
      },
    ],
    [
      'expiry.prompt',
      'it was simulated 20 s past its end, and then all clocks were set',
      (round) => {
        the(round.paid.payment ?? undefined).paidAt = round.paid.expiresAt + 20_000
        jump(round, 70, 25_000)
      },
    ],
    [
      'expiry.prompt',
      'it was cancelled past its end, over which all clocks were set',
      (round) => {
        jump(round, 20, 25_000)
        round.cancelled.updatedAt = round.cancelled.expiresAt + 10
      },
    ],
    [
      'read.forward',
      'it reads as PENDING after it had expired, and clocks were set in between',
      (round) => {
        read(round, round.expired, 40)
        jump(round, 45, dayMs)
        const pending = { ...shown(round.expired), status: 'PENDING', cancellationReason: undefined }
        read(round, round.expired, 50).answer = good(pending)
      },
    ],
    [
      'delivery.paced',
      'an attempt was late before something was done',
      (round) => {
        const [, second] = expiredEvent(round).attemptLog
        the(second).at += 30_000
        kill(round, 55)
      },
    ],
    [
      'clean-up.bounded',
      'a night left an old one',
      (round) => {
        jump(round, 110, 31 * dayMs)
        jump(round, 150, dayMs)
      },
    ],
    [
      'create.exists',
      'an old one is another, and still there',
      (round) => {
        jump(round, 110, 31 * dayMs)
        round.paid.code = '777777'
      },
    ],
    [
      'key.once',
      'an endpoint was there before the traffic, and nobody made it',
      ({ dump }) => dump.webhookendpoints.push({ ...the(dump.webhookendpoints[0]), _id: 'a'.repeat(24) }),
    ],
    [
      'event.exact',
      'an event of a day ago is missing',
      (round) => {
        jump(round, 110, dayMs)
        round.dump.deliveries = round.dump.deliveries.filter((each) => each !== expiredEvent(round))
      },
    ],
  ])
})
