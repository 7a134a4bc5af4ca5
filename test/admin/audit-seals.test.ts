import { randomBytes } from 'node:crypto'
import { mongo } from 'mongoose'
import type { AuditEvent } from '../../src/audit/audit-event.ts'
import { recordAuditRepeat } from '../../src/audit/repeats.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import { newId } from '../../src/platform/ids.ts'
import { dayMs } from '../../src/platform/time.ts'
import { createEncrypter, type Encrypter } from '../../src/security/encrypt.ts'
import { reencryptField } from '../../src/security/reencrypt.ts'
import { checkAuditTrail, isAuditCheckDue } from '../../src/verification/nightly-check.ts'
import type { StoredSeal } from '../../src/verification/seal.ts'
import { sealAuditTrail } from '../../src/verification/seal-trail.ts'
import { verifyAuditTrail } from '../../src/verification/verify-trail.ts'
import { takeLongLease } from '../../src/work/lease.ts'
import { closeInBackground } from '../support/closing.ts'
import { waitForDeath } from '../support/kill-at-every-step.ts'
import { inFull } from '../support/machine.ts'
import { recordLog } from '../support/recorded-log.ts'
import { type Service, secretKey, tester, withService } from '../support/service.ts'
import { type Fate, fates, openVictim } from '../support/victim.ts'
import { openAdmin } from './admin.ts'
import { nextPath, signedIn } from './staff.ts'

const nothing = { businessId: null, before: null, after: null }
const blank = { ...tester, ...nothing, subject: 's', act: 'key.created' } as const
const unhurried = <T>(batch: () => Promise<T>) => batch()

function trailOf(service: Service) {
  const lines = () => rawCollection(service.deps.AuditEvent)
  const seals = () => rawCollection(service.deps.AuditSeal)
  const seal = (deps = service.deps, limit?: number) => sealAuditTrail(deps, unhurried, [], limit)
  const verify = (secrets = service.deps.secrets) =>
    verifyAuditTrail({ ...service.deps, secrets }, unhurried, null)
  const allSeals = () => seals().find().sort({ _id: 1 }).toArray()

  async function addLines(count: number): Promise<[AuditEvent, ...AuditEvent[]]> {
    const added = Array.from({ length: count }, (_, index) => ({
      ...blank,
      _id: newId(),
      at: service.clock.now(),
      subject: `é"\n${index}`,
      before: { 'limits.perSecond': null, z: new Date(index), a: [1.5, -0, { deep: true, list: [] }] },
      after: { 'limits.perSecond': 9_007_199_254_740_991, none: undefined },
    }))
    await lines().insertMany(added)
    return added as unknown as [AuditEvent, ...AuditEvent[]]
  }
  const unseal = async (number = 0) => {
    await seals().deleteOne({ _id: number })
    await lines().updateMany({ seal: number }, { $set: { seal: null } })
  }
  const expectSealedOnce = async (label = '') => {
    const ids = (await allSeals()).flatMap((each) => each.ids).toSorted()
    expect(ids, label).to.deep.equal((await lines().find().toArray()).map(({ _id }) => _id).toSorted())
    const { faults, lines: count } = await verify()
    expect([faults, count], label).to.deep.equal([[], ids.length])
  }
  return { lines, seals, seal, unseal, verify, allSeals, addLines, expectSealedOnce }
}

const { Binary, Code, Decimal128, Long, MaxKey, MinKey, BSONRegExp, BSONSymbol } = mongo.BSON
const { Timestamp, DBRef } = mongo.BSON
const forgedNumbers = [Number.NaN, Infinity, -Infinity, -1, 0, 0.5, 1, 1.5, 999, 2 ** 53]
const forgedDecimals = ['NaN', '-Infinity', '2', '1e300'].map((text) => Decimal128.fromString(text))
const forgedCode = [new Code('1'), new Code('1', { a: 1 }), new BSONSymbol('1'), new BSONRegExp('1')]
const forgedKeys = [new MinKey(), new MaxKey(), Timestamp.fromBits(1, 1), Long.fromString('9007199254740993')]
const forgedIds = [new mongo.ObjectId(), new DBRef('auditseals', new mongo.ObjectId())]
const forgedOthers = [
  new Binary(Buffer.from('1')),
  { seal: 1 },
  [],
  [null],
  [2],
  true,
  '',
  '1'.repeat(100_000),
]
const forgedMarks = () =>
  [forgedNumbers, forgedDecimals, forgedCode, forgedKeys, forgedIds, forgedOthers, [new Date()]]
    .flatMap((marks): unknown[] => marks)
    .map((mark, index): [id: string, mark: unknown] => [`${index} ${typeof mark}`, mark])

describe('Sealing the audit trail', () => {
  const service = withService()
  const { lines, seals, seal, unseal, verify, allSeals, addLines, expectSealedOnce } = trailOf(service)
  const page = async () => (await signedIn(service, 'viewer')).read('/admin/audit')
  const night = (log = service.deps.log) =>
    checkAuditTrail({ ...service.deps, log }, new AbortController().signal)
  afterEach(() => service.clock.freeze(null))

  it('proves nothing before the first seal exists', async () => {
    const { exitCode, stdout, stderr } = await openAdmin(service).here('audit', 'verify', '--json')
    expect(exitCode).to.equal(1)
    expect(JSON.parse(stdout)).to.include({ proven: false, seals: 0, faultCount: 0 })
    expect(stderr).to.match(/^No lines are sealed yet, so nothing is proven\./)
  })

  it('covers each line exactly once, even if the process is killed at any step', async () => {
    // `npm test` kills each write once, and skips the reads.
    const read = inFull<readonly Fate[]>(['lost'], [])
    for (const [index, name] of (await stepsOfSealing()).entries())
      for (const fate of name === 'mongodb find'
        ? read
        : fates.filter((_, at) => inFull(at !== index % 3, at === index % 3))) {
        await addLines(2)
        const victim = await openVictim(service, { step: index + 1, fate, lateMs: 0 })
        const running = seal(victim.deps).catch(() => undefined)
        const label = `killed at step ${index + 1} (${name}, ${fate})`
        await waitForDeath(victim, running, { step: index + 1, label })
        await seal()
        await victim.release()
        await seal()
        await expectSealedOnce(label)
        closeInBackground(victim.close(), running)
      }
  })

  it('leaves a line that counts repeated actions unsealed until an hour after the hour it covers', async () => {
    const [line] = await addLines(1)
    const repeat = { ...line, _id: newId(), at: service.clock.now() }
    const count = () => recordAuditRepeat(service.deps, 'the-same', repeat, 'note')
    const open = () => lines().findOne({ closesAt: { $exists: true } })
    await count()
    const closesAt = (await open())?.closesAt as Date
    expect(closesAt.getTime() - repeat.at.getTime()).to.be.within(1, 3_600_000)
    await seal()
    await count()
    service.clock.freeze(new Date(closesAt.getTime() + 3_600_000 - 1))
    await seal()
    expect(await open())
      .to.deep.include({ after: { times: 2, notes: ['note'] } })
      .and.not.have.property('seal')
    service.clock.advance(1)
    await seal()
    await seal()
    expect((await open())?.seal).to.be.greaterThan(0)
    await expectSealedOnce()
  })

  it('includes a line even if a forged field makes it look unfinished', async () => {
    const [line] = await addLines(1)
    const closesAt = new Date(service.clock.now().getTime() + dayMs)
    await lines().insertOne({ ...line, _id: newId(), closesAt })
    await seal()
    await expectSealedOnce()
  })

  async function stepsOfSealing(): Promise<string[]> {
    await addLines(2)
    await seal()
    await addLines(2)
    const survivor = await openVictim(service, { step: 0, fate: 'lost', lateMs: 0 })
    await seal(survivor.deps)
    const { steps } = survivor
    await survivor.close()
    expect(steps).to.include.members(['mongodb insert', 'mongodb update'])
    return steps
  }

  describe('followed by tampering', () => {
    let standing: StoredSeal[]
    let ids: string[]
    beforeEach(async () => {
      standing = await allSeals()
      ids = standing[1]?.ids ?? []
    })
    const restoreSeals = async () => {
      await seals().deleteMany({})
      await seals().insertMany(standing)
    }
    const extra: AuditEvent = { ...blank, _id: 'ffffffffffffffffffffffff', at: new Date() }
    const changeLine = (set: object) => () => lines().updateOne({ _id: ids[1] ?? '' }, { $set: set })
    const add = (fields: object) => () => lines().insertOne({ ...extra, ...fields })
    const twoDaysAgo = () => new Date(service.clock.now().getTime() - 2 * dayMs - 1)
    const replaceKey = (key: string) =>
      rawCollection(service.deps.ServiceKey).updateOne({ _id: 'audit' }, { $set: { key } })
    const removed = () => lines().deleteOne({ _id: ids[1] ?? '' })
    const shortened = () => seals().updateOne({ _id: 2 }, { $pop: { ids: 1, digests: 1 } })
    const relinked = () => seals().updateOne({ _id: 3 }, { $set: { previous: 'x' } })
    const foreign = 'The audit key is missing, or the trail was sealed with a different SECRET_KEY.'
    const added = 'Line EXTRA was added later: it is marked with seal 2, which does not contain it.'
    const unsealed = () => add({ at: twoDaysAgo() })()
    /** Each way to tamper, and the fault that it must cause. */
    const tamperings: Record<string, [tamper: () => Promise<unknown>, fault: string]> = {
      'a line was changed': [changeLine({ 'actor.name': 'nobody' }), 'Line LINE of seal 2 was changed.'],
      'a field was added to a line': [changeLine({ extra: 1 }), 'Line LINE of seal 2 was changed.'],
      'a line was deleted': [removed, 'Line LINE of seal 2 is missing.'],
      'a line was added to a seal': [add({ seal: 2 }), added],
      'a line was hidden': [add({ seal: 'none' }), 'Line EXTRA is marked with seal none, which is missing.'],
      "a line's seal was changed": [changeLine({ seal: 1 }), 'Line LINE of seal 2 is marked with seal 1.'],
      'a line has had no seal for two days': [unsealed, 'Line EXTRA has had no seal for more than 48 hours.'],
      'a seal was deleted': [() => seals().deleteOne({ _id: 2 }), 'Seal 2 is missing.'],
      'the last seals were deleted': [
        () => seals().deleteMany({ _id: { $gt: 2 } }),
        'Line NEXT is marked with seal 3, which is missing.',
      ],
      'a line was removed from a seal': [shortened, 'Seal 2 was changed.'],
      'a seal was made with another key': [relinked, 'Seal 3 does not continue from the previous seal.'],
      'the key was replaced': [() => replaceKey('v1.00000000.x'), foreign],
    }
    for (const [what, [tamper, fault]] of Object.entries(tamperings))
      it(`lets the check detect that ${what}`, async () => {
        const line = await lines().findOne({ _id: ids[1] ?? '' })
        const key = await rawCollection(service.deps.ServiceKey).findOne({ _id: 'audit' })
        await tamper()
        try {
          const known = { LINE: ids[1], NEXT: standing[2]?.ids[0], EXTRA: extra._id }
          const expected = fault.replace(/LINE|NEXT|EXTRA/, (name) => String(known[name as 'LINE']))
          expect((await verify()).faults.join('\n')).to.include(expected)
        } finally {
          await restoreSeals()
          if (line !== null) await lines().replaceOne({ _id: line._id }, line, { upsert: true })
          await lines().deleteOne({ _id: extra._id })
          await replaceKey(key?.key ?? '')
        }
        expect((await verify()).faults).to.deep.equal([])
      })
  })

  it('produces seals that stay valid when SECRET_KEY is rotated', async () => {
    const [current, old] = [randomBytes(32), Buffer.from(secretKey, 'base64')]
    const rotating = createEncrypter([current, old])
    const reencrypt = (secrets: Encrypter) => reencryptField({ secrets }, service.deps.ServiceKey, 'key')
    expect(await reencrypt(rotating)).to.deep.equal({ reencrypted: 1, unreadable: [] })
    expect(await reencrypt(rotating)).to.deep.equal({ reencrypted: 0, unreadable: [] })
    expect((await verify(createEncrypter([current]))).faults).to.deep.equal([])
    expect((await verify()).faultCount).to.equal(1)
    expect(await reencrypt(service.deps.secrets)).to.deep.equal({ reencrypted: 0, unreadable: ['audit'] })
    await reencrypt(createEncrypter([old, current]))
    expect((await verify()).faults).to.deep.equal([])
  })

  it('happens once a night, followed by a check whose result is logged and shown on the audit page', async () => {
    expect(await page()).to.include('The trail has not been verified yet.')
    const recorded = recordLog()
    await night(recorded.log)
    const last = (await allSeals()).at(-1)
    const logged = (name: string) => recorded.lines().filter(({ msg }) => msg === name)
    const made = { number: last?._id, digest: last?.digest }
    expect(logged('audit.sealed')).to.have.length(1)
    expect(logged('audit.sealed')[0]).to.include(made)
    expect(logged('audit.verified')[0]).to.include({ ...made, seals: last?._id })
    expect(await page()).to.match(/Verified 0 h ago, \d{4}-.*: [\d,]+ lines in \d+ seals are unchanged\./)
    await addLines(1)
    await night(recorded.log)
    expect(logged('audit.sealed')).to.have.length(1)
    service.clock.advance(dayMs)
    const [line] = last?.ids ?? []
    await lines().updateOne({ _id: line ?? '' }, { $set: { reason: 'another' } })
    await night(recorded.log)
    expect(logged('audit.sealed')).to.have.length(2)
    expect(logged('audit.tampered')[0]).to.deep.include({ faultCount: 1, level: 50 })
    const shown = await page()
    expect(shown).to.include(`Line ${line} of seal ${last?._id} was changed.`)
    expect(shown).to.include('The trail was changed')
    await lines().updateOne({ _id: line ?? '' }, { $set: { reason: null } })
    expect((await verify()).faults).to.deep.equal([])
  })

  const check = () => service.deps.AuditCheck.findById('latest').orFail().lean()
  const changeCheck = (set: object) => rawCollection(service.deps.AuditCheck).updateOne({}, { $set: set })

  it('is followed by a nightly check of the new lines, or once a week by a check of the whole trail', async () => {
    const nextNight = async (days = 1) => {
      service.clock.advance(days * dayMs)
      await addLines(1)
      await night()
      return check()
    }
    const { wholeAt } = await nextNight()
    expect((await nextNight()).wholeAt).to.deep.equal(wholeAt)
    const [line] = (await allSeals())[0]?.ids ?? []
    await lines().updateOne({ _id: line ?? '' }, { $set: { reason: 'another' } })
    expect(await nextNight()).to.include({ faultCount: 0, lines: await lines().countDocuments() })
    const fault = `Line ${line} of seal 1 was changed.`
    expect((await nextNight(5)).faults).to.deep.equal([fault])
    expect((await nextNight()).faults, 'after a fault').to.deep.equal([fault])
    await lines().updateOne({ _id: line ?? '' }, { $set: { reason: null } })
    expect((await nextNight()).faults).to.deep.equal([])
    const deleted = await lines().findOneAndDelete({ _id: line ?? '' })
    const missing = `Line ${line} of seal 1 is missing.`
    expect((await nextNight()).faults, 'a line fewer').to.deep.equal([missing])
    if (deleted !== null) await lines().insertOne(deleted)
    expect((await nextNight()).faults).to.deep.equal([])
  })

  it('continues after a forged seal with a non-numeric number, and the check reports this seal', async () => {
    const before = await verify()
    await seals().insertOne({ ...(await allSeals())[0], _id: 'x' } as never)
    await addLines(1)
    await seal()
    const { last, faults } = await verify()
    expect(last?.number).to.equal((before.last?.number ?? 0) + 1)
    expect(faults).to.deep.equal(['A seal has the number "x".'])
    await seals().deleteOne({ _id: 'x' as never })
    expect((await verify()).faults).to.deep.equal([])
  })

  it('stops after a forged seal with the largest number, so that the check can report the forgery', async () => {
    const [first] = await allSeals()
    const forged = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1]
    await seals().insertMany(forged.map((_id) => ({ ...first, _id }) as never))
    await addLines(1)
    await seal()
    expect((await verify()).faults).not.to.deep.equal([])
    await seals().deleteMany({ _id: { $in: forged } })
    await seal()
    expect((await verify()).faults).to.deep.equal([])
  })

  it('lets the check report a field of the wrong type in a seal or in the stored result', async () => {
    const [first] = await allSeals()
    const staff = await signedIn(service, 'viewer')
    for (const change of [{ ids: 'x' }, { ids: { a: 1 } }, { at: null }, { digests: 5 }, { at: 'x' }]) {
      await seals().updateOne({ _id: 1 }, { $set: change } as never)
      expect((await verify()).faults[0], JSON.stringify(change)).to.equal('Seal 1 was changed.')
      await seals().replaceOne({ _id: 1 }, first as StoredSeal)
    }
    await seals().insertOne({ _id: 999 } as never)
    expect((await verify()).faults.join()).to.include('Seal 999 was changed.')
    await seals().deleteOne({ _id: 999 })
    for (const forged of [{ at: null }, { at: 'x' }, { faults: 5 }, { faultCount: null }]) {
      await changeCheck(forged)
      expect((await staff.get('/admin/audit')).status, JSON.stringify(forged)).to.equal(200)
      await night()
    }
  })

  it('lets the check detect a line that is dated after its seal', async () => {
    const staff = await signedIn(service, 'support')
    const shapes = [
      { actor: null, subject: 'the older one' },
      { actor: 5, at: 'x', act: 7 },
      { subject: {}, before: 'b', after: [1] },
      { reason: 9 },
    ]
    const whole = { ...blank, at: service.clock.now() }
    const forged = shapes.map((shape, index) => ({ ...whole, ...shape, _id: `forged${index}` }))
    await lines().insertMany([...forged, { _id: 'bare' }] as never[])
    for (const path of ['/admin/audit', '/admin/audit?subject=s'])
      expect((await staff.get(path)).status).to.equal(200)
    for (const format of ['csv', 'jsonl'])
      expect((await staff.act('/admin/audit/export', { format })).text).to.include('forged0')
    const future = { ...whole, at: new Date('2999-01-01') }
    const many = Array.from({ length: 60 }, () => ({ ...future, _id: new mongo.ObjectId() }))
    await lines().insertMany([...many, { ...whole, _id: 'forged-9 "é', at: new mongo.MaxKey() }] as never[])
    const older = async (path: string, left: number): Promise<string[]> => {
      const { status, text } = await staff.get(path)
      expect(status, path).to.equal(200)
      const next = nextPath(text)
      return next === undefined || left === 0 ? [text] : [text, ...(await older(next, left - 1))]
    }
    expect((await older('/admin/audit', 3)).join()).to.include('the older one')
    await lines().deleteMany({ $or: [{ _id: /^(?:forged|bare)/ }, { _id: { $type: 'objectId' } }] } as never)
    await lines().insertOne({ ...blank, _id: 'late', at: new Date('2999-01-01') })
    await seal()
    const { last, faults } = await verify()
    expect(faults).to.deep.equal([`Line late is dated after its seal ${last?.number}.`])
    await lines().deleteOne({ _id: 'late' })
    await unseal(last?.number)
    await seal()
  })

  it('only logs a warning if another worker takes over the check', async () => {
    service.clock.advance(dayMs)
    const recorded = recordLog('warn')
    const id = { _id: 'check', work: 'check' }
    const leases = rawCollection(service.deps.CheckLease)
    const take = () => takeLongLease(leases, id, service.deps.now, { upsert: true })
    const lost = await take()
    service.clock.advance(60_001)
    const held = await take()
    const { now } = performance
    let passedMs = 0
    performance.now = () => now.call(performance) + (passedMs += 60_000)
    const deps = { ...service.deps, log: recorded.log }
    const checking = checkAuditTrail(deps, new AbortController().signal, async () => lost?.renew({}))
    await checking.finally(() => (performance.now = now))
    await held?.end({})
    expect(recorded.lines().map(({ level, msg }) => [level, msg])).to.deep.equal([[40, 'audit.not-checked']])
  })

  it('lets the check detect a forged seal number of any type', async () => {
    for (let marks = forgedMarks(); marks.length > 0; marks = marks.slice(10)) {
      const whole = { ...blank, at: service.clock.now() }
      const forged = marks.slice(0, 10).map(([_id, mark]) => ({ ...whole, _id, seal: mark }))
      await lines().insertMany(forged as never[])
      const { faults } = await verify()
      await lines().deleteMany({ _id: { $in: forged.map(({ _id }) => _id) } })
      for (const { _id } of forged) expect(faults.join('\n')).to.include(`Line ${_id} `)
    }
  })

  it('lets the check report forged seal numbers and backdated lines every night', async () => {
    const at = service.clock.now()
    service.clock.advance(dayMs)
    const forged = forgedMarks().map(([_id, mark]) => ({ ...blank, _id, at, seal: mark }))
    const [before] = await seals().find().sort({ _id: -1 }).toArray()
    const longestMs = 6 * 3_600_000
    const late = { ...blank, _id: 'late', at: new Date(Number(before?.at) - longestMs), seal: null }
    const backdated = { ...late, _id: 'backdated', at: new Date(late.at.getTime() - 1) }
    await lines().insertMany([...forged, late, backdated] as never[])
    await night()
    const { faultCount, faults } = await check()
    expect(faultCount).to.be.greaterThan(forged.length)
    expect(faults).to.have.length(20)
    expect(faults.join()).to.include('backdated')
    const { last } = await verify()
    await lines().deleteMany({ _id: { $in: forged.map(({ _id }) => _id) } })
    expect((await verify()).faults).to.deep.equal([
      `Line backdated of seal ${last?.number} is more than 6 hours older than the previous seal.`,
    ])
    await lines().deleteMany({ _id: { $in: ['late', 'backdated'] } })
    await unseal(last?.number)
    await night()
  })

  const forgeries: Record<string, () => Record<string, unknown>> = {
    'is dated in the year 2999': () => ({ at: new Date('2999-01-01') }),
    'is dated tonight': () => ({ at: service.clock.now() }),
    'claims that everything was verified': () => ({ wholeAt: service.clock.now() }),
    'hides a fault': () => ({ faultCount: 0, faults: [] }),
    'has lost its digest': () => ({ digest: null, at: service.clock.now() }),
  }
  for (const [what, forged] of Object.entries(forgeries))
    it(`lets the check start over and report a change if the stored result ${what}`, async () => {
      service.clock.advance(dayMs)
      await changeCheck(forged())
      expect(await isAuditCheckDue(service.deps)).to.equal(true)
      await night()
      const { faults, at, wholeAt } = await check()
      expect(faults[0]).to.equal('The result of the last check was changed, or is dated in the future.')
      expect(wholeAt).to.deep.equal(at)
      expect(await isAuditCheckDue(service.deps)).to.equal(false)
    })

  it('makes a check due if the audit key is missing, whatever the stored result says', async () => {
    const keys = rawCollection(service.deps.ServiceKey)
    const key = await keys.findOneAndDelete({ _id: 'audit' })
    await changeCheck({ digest: null, at: service.clock.now() })
    expect(await isAuditCheckDue(service.deps)).to.equal(true)
    if (key !== null) await keys.insertOne(key)
    await night()
  })

  it('makes the audit page warn if the last check is over a day old or dated in the future', async () => {
    const late = 'although this should happen every night. Call an operator.'
    service.clock.advance(dayMs)
    await night()
    service.clock.advance(dayMs)
    await night()
    service.clock.advance(5 * 3_600_000)
    expect(await page()).to.include('Verified 5 h ago')
    service.clock.advance(31 * 3_600_000)
    expect(await page()).to.include(late)
    expect(await service.deps.metrics.registry.metrics()).to.not.equal('')
    await changeCheck({ at: new Date('2999-01-01') })
    expect(await page()).to.include(late)
  })

  it('lets the command line verify the trail against a digest from the log', async () => {
    const cli = openAdmin(service)
    const last = (await allSeals()).at(-1)
    const known = { number: last?._id, digest: last?.digest }
    const expected = `${known.number}:${known.digest}`
    const proven = await cli.done('audit', 'verify', '--expect', expected)
    expect(proven).to.deep.include({ proven: true, faults: [], last: known })
    const refused = async (wrong: string) => {
      const { exitCode, stdout } = await cli.here('audit', 'verify', '--json', '--expect', wrong)
      expect(exitCode).to.equal(1)
      return JSON.parse(stdout).faults.map(({ fault }: { fault: string }) => fault)
    }
    const other = `${last?._id}:${(await allSeals())[0]?.digest}`
    expect(await refused(other)).to.deep.equal([`Seal ${last?._id} does not have the expected digest.`])
    await lines().deleteMany({ seal: last?._id ?? 0 })
    await seals().deleteOne({ _id: last?._id ?? 0 })
    expect((await verify()).faults).to.deep.equal([])
    expect(await refused(expected)).to.deep.equal([`Seal ${last?._id} is missing, although it is expected.`])
    const text = await cli.here('audit', 'verify', '--expect', '0:x')
    expect(text.stderr).to.include('Must be the number and the digest of a seal')
  })
})

describe('Sealing a long audit trail', () => {
  const service = withService()
  const { lines, seal, allSeals, addLines, expectSealedOnce } = trailOf(service)

  it('forms a chain that covers each line once, even if several processes seal at the same time', async () => {
    await addLines(70)
    await Promise.all(Array.from({ length: 4 }, () => seal(service.deps, 40)))
    await seal()
    const all = await allSeals()
    const found = all.map(({ _id, ids, previous }) => [_id, ids.length, previous].join())
    expect(found).to.deep.equal(['1,40,', `2,30,${all[0]?.digest}`])
    await expectSealedOnce()
    expect(await lines().countDocuments({ seal: 1 })).to.equal(40)
  })
})
