import { readFileSync } from 'node:fs'
import mongoose from 'mongoose'
import { requireSteps, runSteps } from '../../src/migrations/run.ts'
import { type Step, steps } from '../../src/migrations/steps.ts'
import { rawCollection } from '../../src/mongo/collection.ts'
import { newId } from '../../src/platform/ids.ts'
import type { Endpoint } from '../../src/webhooks/endpoints/endpoint.ts'
import { reportFailures } from '../../src/webhooks/endpoints/report-failures.ts'
import { createGate } from '../support/gate.ts'
import { killAtEveryStep } from '../support/kill-at-every-step.ts'
import { withSecondProcess, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

const dayMs = 86_400_000
const leaseMs = 60_000
/** As stored by the commit before the first step. */
const vector = readFileSync(new URL('../vectors/endpoint-before-step-1.json', import.meta.url), 'utf8')

describe('A migration step', () => {
  const { service, merchant } = withServiceAndMerchant()
  const beside = withSecondProcess(service)
  const endpoints = () => rawCollection(service.deps.Endpoint)
  const stored = (_id: string) => service.deps.Endpoint.findById(_id).orFail().lean()
  const [addReportedAt = expect.fail('no step')] = Object.values(steps)

  async function storeOld(changes: Partial<Endpoint> = {}): Promise<Endpoint> {
    const old = mongoose.mongo.BSON.EJSON.parse(vector) as Endpoint
    const endpoint = { ...old, _id: newId(), businessId: newId(), ...changes }
    await endpoints().insertOne(endpoint)
    return endpoint
  }
  const reportedAtOf = async (_id: string) => (await stored(_id)).reportedFailure?.reportedAt
  /** Each test has its own number, because each runs it for the first time. */
  let number = 100
  const nextNumber = () => (number += 1)

  it('adds reportedAt to the endpoints that an older version has reported, and changes nothing else', async () => {
    const { reportedFailure } = mongoose.mongo.BSON.EJSON.parse(vector) as Endpoint
    const since = reportedFailure?.since ?? new Date(Number.NaN)
    const recoveredAt = new Date(since.getTime() + 1)
    const known = { since, reportedAt: recoveredAt }
    const [failing, recovered, ...others] = await Promise.all([
      storeOld(),
      storeOld({ reportedFailure: { since, recoveredAt } }),
      storeOld({ reportedFailure: null }),
      storeOld({ reportedFailure: known }),
    ])
    await runSteps(service.deps, { [nextNumber()]: addReportedAt })
    const reportedAt = new Date(since.getTime() + dayMs)
    expect(await stored(failing._id)).to.deep.equal({ ...failing, reportedFailure: { since, reportedAt } })
    const all = { since, recoveredAt, reportedAt }
    expect(await stored(recovered._id)).to.deep.equal({ ...recovered, reportedFailure: all })
    for (const each of others) expect(await stored(each._id)).to.deep.equal(each)
  })

  it('changes more documents than fit into a batch, and is repeated by the next release', async () => {
    const old = await storeOld()
    const copies = Array.from({ length: 1_001 }, () => ({ ...old, _id: newId(), businessId: newId() }))
    await endpoints().insertMany(copies)
    const each = { [nextNumber()]: addReportedAt }
    await runSteps(service.deps, each)
    const lacking = () =>
      endpoints().countDocuments({ 'reportedFailure.reportedAt': null, _id: { $in: ids } })
    const ids = copies.map(({ _id }) => _id)
    expect(await lacking()).to.equal(0)
    // A process of the older version, which is still running.
    const { reportedFailure } = old
    await endpoints().updateMany({ _id: { $in: ids.slice(3) } }, { $set: { reportedFailure } })
    expect(await lacking()).to.equal(998)
    await runSteps(beside.deps, each)
    expect(await lacking()).to.equal(0)
    await endpoints().deleteMany({ _id: { $in: ids } })
  })

  it('leaves documents that processes of the older version can still change', async () => {
    const { businessId } = merchant
    const { _id, url } = await storeOld({ businessId })
    await runSteps(service.deps, { [nextNumber()]: addReportedAt })
    const at = service.clock.now()
    const success = { at, stage: null, status: 200, durationMs: 5 }
    service.deps.healthNotes.note({ endpointId: _id, url, ...success })
    await service.deps.healthNotes.close()
    expect((await stored(_id)).reportedFailure?.recoveredAt).to.deep.equal(at)
    expect(await reportFailures(service.deps)).to.equal(1)
    expect((await stored(_id)).reportedFailure).to.equal(null)
  })

  it('runs once if two releases start at once', async () => {
    const [began, end] = [createGate(), createGate()]
    let runs = 0
    const slow: Step = {
      name: 'slow',
      async run() {
        runs += 1
        began.open()
        await end.passed
        return 0
      },
    }
    const each = { [nextNumber()]: slow }
    const first = runSteps(service.deps, each)
    const second = runSteps(beside.deps, each)
    await began.passed
    end.open()
    await Promise.all([first, second])
    expect(runs).to.equal(1)
    await runSteps(beside.deps, each)
    expect(runs).to.equal(2)
  })

  it('is continued by a waiting release once the lease of a dead one has expired', async () => {
    const began = createGate()
    const dead: Step = { name: 'dead', run: () => (began.open(), new Promise<number>(() => undefined)) }
    const _id = String(nextNumber())
    void runSteps(service.deps, { [_id]: dead })
    await began.passed
    const { _id: endpointId } = await storeOld()
    const waiting = runSteps(beside.deps, { [_id]: addReportedAt })
    beside.clock.advance(leaseMs)
    await waiting
    expect(await reportedAtOf(endpointId)).to.be.an.instanceOf(Date)
    await waitFor('its end', () => service.deps.Migration.exists({ _id, completedAt: { $type: 'date' } }))
  })

  it('that fails can be repeated at once, and is missing until then', async () => {
    const { Migration } = service.deps
    const failing: Step = { name: 'failing', run: () => Promise.reject(new Error('disk full')) }
    const faultOf = (act: Promise<void>) =>
      act.then(
        () => '',
        ({ message }: Error) => message,
      )
    await Migration.deleteMany({})
    expect(await faultOf(runSteps(service.deps, { 1: failing }))).to.equal('disk full')
    expect(await faultOf(requireSteps(service.deps)))
      .to.include('step 1')
      .and.include('dist/src/release.js')
    await runSteps(beside.deps)
    await requireSteps(service.deps)
  })

  it('is completed by the next release if one is killed between any two writes', async () => {
    const prepare = async () => {
      const { _id } = await storeOld()
      const old = { _id, 'reportedFailure.reportedAt': null }
      const $set = { 'reportedFailure.reportedAt': new Date(0) }
      // Each case changes only its own document, so that all kills hit the same writes.
      const step: Step = {
        name: 'one document',
        run: ({ Endpoint }, pace) =>
          pace(async () => (await rawCollection(Endpoint).updateOne(old, { $set })).modifiedCount),
      }
      const key = String(nextNumber())
      return { _id, key, all: { [key]: step } }
    }
    const written = await killAtEveryStep<Awaited<ReturnType<typeof prepare>>>(service, {
      prepare,
      run: ({ deps }, { all }) => runSteps(deps, all),
      async repeat({ all }) {
        service.clock.advance(leaseMs)
        await runSteps(service.deps, all)
      },
      async check({ _id, key }, label) {
        expect(await reportedAtOf(_id), label).to.deep.equal(new Date(0))
        expect(await service.deps.Migration.findById(key), label).to.have.property('completedAt')
      },
    })
    expect(written).to.include.members(['mongodb findAndModify', 'mongodb update'])
  })
})
