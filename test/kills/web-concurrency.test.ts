import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { deadlineMs } from '../support/machine.ts'
import { runToExit, type ServiceProcess, startProcess } from '../support/processes.ts'
import { type Merchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

describe('WEB_CONCURRENCY', () => {
  const service = withService()
  const started: ServiceProcess[] = []
  after(() => Promise.all(started.map((each) => each.stop())))

  const pidsOf = (web: ServiceProcess): number[] => web.linesOf('web.started').map(({ pid }) => pid)

  async function startCluster(processes: number, changes: Record<string, string> = {}) {
    const web = await startProcess('web', service, { WEB_CONCURRENCY: String(processes), ...changes })
    started.push(web)
    await waitFor('all children serve', () => pidsOf(web).length === processes)
    return web
  }

  /** A connection per request, because each connection stays with one child. */
  const createOn = (web: ServiceProcess, merchant: Merchant, key = randomUUID()): Promise<number | null> =>
    new Promise((resolve) => {
      const headers = { ...merchant.write(key), 'Content-Type': 'application/json' }
      const options = { method: 'POST', headers, agent: new Agent() }
      const sent = request(`${web.origin}/api/v1/dev/intents`, options, (res) =>
        res.resume().on('end', () => resolve(res.statusCode ?? null)),
      )
      sent.on('error', () => resolve(null)).end('{"amount":100}')
    })

  async function createdOn(web: ServiceProcess): Promise<number> {
    const text = await (await fetch(`${web.origin}/metrics`)).text()
    const counts = text.matchAll(
      /^payment_intents_http_requests_total\{route="POST \/dev\/intents".*\} (\d+)$/gm,
    )
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }

  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }

  it('serves requests from several processes and adds up their metrics', async () => {
    const web = await startCluster(3)
    const merchant = await service.merchant()
    const statuses = await Promise.all(Array.from({ length: 60 }, () => createOn(web, merchant)))
    expect(new Set(statuses)).to.deep.equal(new Set([201]))
    await waitFor('all are counted', async () => (await createdOn(web)) === 60)
    const served = new Set(web.linesOf('http.request').map(({ pid }) => pid))
    expect([...served]).to.have.members(pidsOf(web))
    const text = await (await fetch(`${web.origin}/metrics`)).text()
    expect(text.match(/^payment_intents_mongodb_up 1$/gm), text).to.have.length(1)
    expect(text).to.match(/^payment_intents_http_request_duration_seconds_bucket\{.*le="\+Inf".*\} 60$/m)
  })

  it('shares METRICS_PORT among the processes', async () => {
    const own = await startProcess('web', service)
    const METRICS_PORT = new URL(own.origin).port
    await own.stop()
    const web = await startCluster(2, { METRICS_PORT })
    const samples = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text()
    expect(samples).to.include('\npayment_intents_mongodb_up 1\n')
    expect((await fetch(`${web.origin}/metrics`)).status).to.equal(404)
  })

  it('replaces a killed process without a wrong response or a lost count', async () => {
    const web = await startCluster(2)
    const merchant = await service.merchant()
    const failures: (number | null)[] = []
    let created = 0
    const over = new AbortController()
    let before = 0
    const customers = Array.from({ length: 8 }, async () => {
      while (!over.signal.aborted) {
        const key = randomUUID()
        let status: number | null = null
        for (let tries = 0; status !== 201 && tries < 1_000; tries += 1) {
          status = await createOn(web, merchant, key)
          if (status !== 201) failures.push(status)
        }
        created += 1
      }
    })
    try {
      await waitFor('some load', () => created > 100)
      before = await createdOn(web)
      for (const restartMs of [500, 1000]) {
        const [pid] = pidsOf(web).slice(-1)
        const count = pidsOf(web).length
        process.kill(pid ?? 0, 'SIGKILL')
        await waitFor('it is replaced', () => pidsOf(web).length > count)
        expect(web.linesOf('web.child-exited').at(-1)).to.include({ level: 'warn', childPid: pid, restartMs })
      }
    } finally {
      over.abort()
    }
    await Promise.all(customers)
    expect(await createdOn(web)).to.be.at.least(before)
    expect(failures.filter((status) => status !== null)).to.deep.equal([])
    expect(await service.deps.Intent.countDocuments({ businessId: merchant.businessId })).to.equal(created)
  })

  it('lets all processes finish their requests after SIGTERM', async () => {
    const web = await startCluster(2)
    const merchant = await service.merchant()
    const fates: { sentAt: number; status: number | null }[] = []
    let signalledAt = Number.POSITIVE_INFINITY
    const customers = Array.from({ length: 20 }, async () => {
      while (signalledAt === Number.POSITIVE_INFINITY) {
        fates.push({ sentAt: performance.now(), status: await createOn(web, merchant) })
      }
    })
    await waitFor('some load', () => fates.length > 100)
    signalledAt = performance.now()
    web.kill('SIGTERM')
    await Promise.all(customers)
    expect(await web.exited).to.equal(0)
    const before = fates.filter(({ sentAt }) => sentAt < signalledAt)
    expect(new Set(before.map(({ status }) => status))).to.deep.equal(new Set([201]))
    expect(web.linesOf('web.child-exited')).to.deep.equal([])
    expect(web.linesOf('process.stopped')).to.have.length(3)
    expect(pidsOf(web).filter(isRunning)).to.deep.equal([])
  })

  it('ends a hanging process at SHUTDOWN_TIMEOUT_SECONDS', async () => {
    const web = await startCluster(2, { SHUTDOWN_TIMEOUT_SECONDS: '10', SHUTDOWN_DRAIN_SECONDS: '0' })
    const [pid = 0] = pidsOf(web)
    process.kill(pid, 'SIGSTOP')
    const signalledAt = performance.now()
    web.kill('SIGTERM')
    expect(await web.exited).to.equal(0)
    expect(performance.now() - signalledAt).to.be.within(10_000, 11_000 + deadlineMs(2_000))
    await waitFor('it is gone', () => !isRunning(pid))
  })

  it('leaves no process behind when the primary is killed', async () => {
    const web = await startCluster(2)
    web.kill('SIGKILL')
    await web.exited
    await waitFor('the children are gone', () => !pidsOf(web).some(isRunning))
  })

  it('retries while none of its processes can start again', async () => {
    const web = await startCluster(2)
    for (const pid of pidsOf(web)) process.kill(pid, 'SIGKILL')
    const blocker = createServer()
    const { port } = new URL(web.origin)
    await waitFor('the port is free', async () => {
      blocker.listen(Number(port))
      return once(blocker, 'listening').then(
        () => true,
        () => false,
      )
    })
    await waitFor('both fail to start', () => web.linesOf('web.child-exited').length >= 4)
    await new Promise((resolve) => blocker.close(resolve))
    await waitFor('both serve', () => pidsOf(web).length === 4)
    expect(web.isAlive()).to.equal(true)
  })

  it('retries after a failed fork', async () => {
    const web = await startCluster(2)
    const [pid = 0] = pidsOf(web)
    const limit = (files: number) => execFileSync('prlimit', [`--pid=${web.pid}`, `--nofile=${files}:`])
    limit(10)
    process.kill(pid, 'SIGKILL')
    await waitFor('forks fail', () => web.linesOf('web.child-error').length >= 2)
    expect((await fetch(`${web.origin}/metrics`)).status).to.equal(200)
    limit(1_000)
    await waitFor('it is replaced', () => pidsOf(web).length === 3)
  })

  it('exits with the error of its first process if that one cannot start', async () => {
    const PORT = new URL(service.origin).port
    const { exitCode, stdout, stderr } = await runToExit('web', service, { PORT, WEB_CONCURRENCY: '3' })
    expect([exitCode, stderr]).to.deep.equal([1, []])
    const crashes = stdout.filter((line) => line.includes('"process.crashed"'))
    expect(crashes).to.have.length(1)
    expect(JSON.parse(crashes[0] ?? '').err.code).to.equal('EADDRINUSE')
  })

  it('refuses invalid variables once, as a single process does', async () => {
    const { exitCode, stdout, stderr } = await runToExit('web', service, { WEB_CONCURRENCY: '0' })
    expect([exitCode, stdout]).to.deep.equal([1, []])
    expect(stderr.join('\n')).to.match(/^The environment is not valid:\n {2}WEB_CONCURRENCY must be >= 1$/)
  })
})
