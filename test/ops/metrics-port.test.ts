import { expect } from 'chai'
import { freePort } from '../../dev/servers/free-port.ts'
import { startProcess } from '../support/processes.ts'
import { withService } from '../support/service.ts'

describe('The metrics of both processes', () => {
  const service = withService()

  it('are served only on METRICS_PORT if it is set', async () => {
    const [workerPort, ...metricsPorts] = [await freePort(), await freePort(), await freePort()]
    const METRICS_TOKEN = 'a-token-of-this-test'
    const processes = await Promise.all(
      (['web', 'worker'] as const).map((type, at) => {
        const METRICS_PORT = String(metricsPorts[at])
        return startProcess(type, service, { WORKER_PORT: String(workerPort), METRICS_PORT, METRICS_TOKEN })
      }),
    )
    try {
      for (const [at, origin] of [processes[0]?.origin, `http://127.0.0.1:${workerPort}`].entries()) {
        const ready = await fetch(`${origin}/readyz`)
        expect(await ready.json()).to.deep.equal({ status: 'ok', mongodb: 'up', redis: 'up' })
        expect((await fetch(`${origin}/metrics`)).status).to.equal(404)
        const headers = { Authorization: `Bearer ${METRICS_TOKEN}` }
        const response = await fetch(`http://127.0.0.1:${metricsPorts[at]}/metrics`, { headers })
        const samples = await response.text()
        expect(samples)
          .to.match(/^nodejs_eventloop_lag_p99_seconds /m)
          .and.match(/^payment_intents_mongodb_up 1$/m)
      }
      for (const each of processes) each.kill('SIGTERM')
      expect(await Promise.all(processes.map(({ exited }) => exited))).to.deep.equal([0, 0])
    } finally {
      await Promise.all(processes.map((each) => each.stop()))
    }
  })
})
