import { freePort } from '../../servers/free-port.ts'
import { setEnvironment } from '../environment.ts'
import type { Receiver } from '../receiver.ts'
import { seen, step, tell } from '../screen.ts'
import { ready, type Service, startService } from '../web-and-worker.ts'

export interface Where {
  folder: string
  mongoUrl: string
  redisUrl: string
}

/** Starts web and worker, pointed at the demo's own receiver. */
export async function openService(where: Where, receiver: Receiver): Promise<Service> {
  step(1, 'The service starts')
  tell(
    'Two processes: web answers the API, worker delivers the webhooks. What counts is in MongoDB; Redis only ' +
      'wakes the worker up.',
  )
  const origin = await setEnvironment({ ...where, port: await freePort(), receiver: receiver.host })
  return startService(origin, where.folder)
}

/** Waits until it can serve, and says where it is. */
export async function awaitService(service: Service): Promise<void> {
  await ready(service)
  tell(`MongoDB and Redis answer, says ${service.origin}/readyz.`)
  const { web, worker } = service
  for (const { name, pid, log } of [web, worker]) seen(`${name} runs as process ${pid}, its log is ${log}`)
}
