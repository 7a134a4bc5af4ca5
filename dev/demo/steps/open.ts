import { freePort } from '../../servers/free-port.ts'
import type { EndpointServer } from '../endpoint-server.ts'
import { setEnvironment } from '../environment.ts'
import { explain, seen, step } from '../screen.ts'
import { ready, type Service, startService } from '../web-and-worker.ts'

export interface Servers {
  folder: string
  mongoUrl: string
  redisUrl: string
}

/** Starts web and worker with the endpoint server of the demo. */
export async function openService(servers: Servers, endpointServer: EndpointServer): Promise<Service> {
  step(1, 'The service starts')
  explain(
    'Two processes: web answers the API, worker delivers the webhooks. What counts is in MongoDB; Redis only ' +
      'wakes the worker up.',
  )
  const origin = await setEnvironment({
    ...servers,
    // A new port each time, because npx would run its copy of an older command line with the same URL.
    port: await freePort(),
    endpointServer: endpointServer.host,
  })
  return startService(origin, servers.folder)
}

/** Waits until the service is ready, and prints its addresses. */
export async function awaitService(service: Service): Promise<void> {
  await ready(service)
  explain(`${service.origin}/readyz reports that MongoDB and Redis are available.`)
  const { web, worker } = service
  for (const { name, pid, log } of [web, worker]) seen(`${name} runs as process ${pid}, its log is ${log}`)
}
