import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { expect } from 'chai'
import { environment } from '../../schemas/environment.ts'
import { readConfig } from '../../src/config.ts'
import { longestStopMs } from '../../src/http/listen.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { type Container, type Manifest, manifestFiles, readText, readYaml } from './manifests.ts'

const objects = manifestFiles
  .filter((file) => basename(file) !== 'kustomization.yaml')
  .flatMap((file) => readYaml<Manifest>(file))
const the = (kind: string, name: string): Manifest => {
  const found = objects.find((one) => one.kind === kind && one.metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found
}
const pods = [the('Job', 'release'), the('Deployment', 'web'), the('Deployment', 'worker')].map((owner) => {
  const template = owner.spec?.template
  if (template === undefined) throw new Error(`${owner.metadata.name} has no pods`)
  return { owner, template, pod: template.spec, container: template.spec.containers[0] }
})
const config = the('ConfigMap', 'payment-intents').data ?? {}
const secrets = the('Secret', 'payment-intents').stringData ?? {}

describe('the Kubernetes manifests', () => {
  it('are all reached from a kustomization but the example of the secrets, which has no value', () => {
    const reached = manifestFiles
      .filter((file) => basename(file) === 'kustomization.yaml')
      .flatMap((file) => {
        const [{ resources = [], components = [] } = {}] = readYaml<Record<string, string[]>>(file)
        return [...resources, ...components].map((path) => normalize(join(dirname(file), path)))
      })
    for (const path of reached) expect(existsSync(path), path).to.equal(true)
    const left = manifestFiles.filter(
      (file) => !file.endsWith('kustomization.yaml') && !reached.includes(file),
    )
    expect(left).to.deep.equal(['ops/kubernetes/base/secrets.example.yaml'])
    expect(Object.values(secrets).filter((value) => value !== '')).to.deep.equal([])
  })

  it('give an environment that production starts with', () => {
    expect(Object.keys(environment.properties)).to.include.members([
      ...Object.keys(config),
      ...Object.keys(secrets),
    ])
    const read = readConfig({
      ...config,
      ...secrets,
      MONGODB_URL: 'mongodb://a,b,c/payment_intents?replicaSet=rs',
      REDIS_URL: 'rediss://redis:6379',
      SECRET_KEY: randomBytes(32).toString('base64'),
    })
    expect(read).to.include({ production: true, port: 3000, workerPort: 9464 })
  })

  it('start what the Procfile starts, of one image', () => {
    for (const { owner, container } of pods) {
      const line = new RegExp(`^${owner.metadata.name}: (.+)$`, 'm').exec(readText('Procfile'))?.[1]
      expect(container.command.join(' ')).to.equal(line)
      expect(container.image).to.equal('payment-intents')
    }
  })

  it('let nothing run as root, write to the image, or keep a right', () => {
    for (const { pod, container } of pods) {
      expect(pod).to.include({ automountServiceAccountToken: false })
      expect(pod.securityContext).to.deep.include({
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(container.securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    }
    expect(readText('Dockerfile')).to.include('\nUSER 1000:1000\n')
  })

  it('look at health where the processes answer', () => {
    const answered = readText('src/http/health.ts')
    const asks = (container: Container) =>
      Object.fromEntries(
        (['startupProbe', 'livenessProbe', 'readinessProbe'] as const).map((probe) => [
          probe,
          container[probe]?.httpGet,
        ]),
      )
    for (const [name, port, containerPort] of [
      ['web', 'http', config.PORT],
      ['worker', 'health', config.WORKER_PORT],
    ]) {
      const container = pods.find(({ owner }) => owner.metadata.name === name)?.container as Container
      expect(container.ports).to.deep.equal([{ name: port, containerPort: Number(containerPort) }])
      expect(asks(container)).to.deep.equal({
        startupProbe: { path: '/healthz', port },
        livenessProbe: { path: '/healthz', port },
        readinessProbe: { path: '/readyz', port },
      })
    }
    for (const path of ['/healthz', '/readyz']) expect(answered).to.include(`'${path}'`)
  })

  it('give what is under way its time to end', () => {
    const [, web, worker] = pods
    const hookSeconds = web?.container.lifecycle?.preStop.sleep.seconds ?? Number.NaN
    const webSeconds = hookSeconds + 2 + longestStopMs({ walletTimeoutMs: 10_000 }) / 1000
    expect(web?.pod.terminationGracePeriodSeconds).to.be.greaterThan(webSeconds)
    expect(worker?.pod.terminationGracePeriodSeconds).to.be.greaterThan(30 + 5)
  })

  it('select the pods that there are, and scale by metrics that there are', () => {
    for (const { owner, template } of pods.slice(1)) {
      expect(template.metadata.labels).to.deep.equal(owner.spec?.selector?.matchLabels)
      const others = objects.filter((one) => one !== owner && one.metadata.name === owner.metadata.name)
      for (const { kind, spec } of others) {
        if (spec?.scaleTargetRef !== undefined)
          expect(spec.scaleTargetRef.name, kind).to.equal(owner.metadata.name)
        else
          expect(spec?.selector?.matchLabels ?? spec?.selector, kind).to.deep.equal(template.metadata.labels)
      }
      expect(others.length).to.be.within(2, 4)
    }
    const known = createMetrics()
      .registry.getMetricsAsArray()
      .map(({ name }) => name)
    const queries = the('ScaledObject', 'worker').spec?.triggers?.flatMap(
      ({ metadata }) => metadata.query ?? [],
    )
    expect(queries?.flatMap((query) => query.match(/payment_intents_\w+/g) ?? [])).to.deep.equal(
      known.filter((name) => name === 'payment_intents_oldest_due_delivery_seconds'),
    )
  })
})

interface Compose {
  services: Record<
    string,
    {
      image: string
      command?: string[]
      profiles?: string[]
      volumes?: string[]
      read_only?: boolean
      environment?: Record<string, string>
    }
  >
}

describe('docker-compose.yml', () => {
  const [{ services } = { services: {} }] = readYaml<Compose>('docker-compose.yml')

  it('starts what the Procfile starts, on a root that nobody writes to', () => {
    for (const name of ['release', 'worker']) {
      const line = new RegExp(`^${name}: (.+)$`, 'm').exec(readText('Procfile'))?.[1]
      expect(services[name]?.command?.join(' ')).to.equal(line)
    }
    expect(readText('Dockerfile')).to.include('CMD ["node", "dist/src/server.js"]')
    for (const name of ['release', 'web', 'worker'])
      expect(services[name]).to.include({ image: 'payment-intents', read_only: true })
  })

  it('pins every image, mounts only what is there, and watches where the processes answer', () => {
    const own = ['release', 'web', 'worker']
    const others = Object.entries(services).filter(([name]) => !own.includes(name))
    for (const [, { image }] of others) expect(image).to.match(/:v?\d+\.\d+/)
    const mounts = others.flatMap(([, { volumes = [] }]) => volumes.filter((path) => path.startsWith('./')))
    expect(mounts.length).to.be.greaterThan(3)
    for (const mount of mounts) expect(existsSync(mount.split(':')[0] ?? ''), mount).to.equal(true)
    const scraped = readYaml<{ scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[] }>(
      'ops/prometheus/prometheus.yml',
    ).flatMap((read) => read.scrape_configs.flatMap((scrape) => scrape.dns_sd_configs))
    expect(scraped.map(({ names, port }) => [...names, String(port)])).to.deep.equal([
      ['web', services.web?.environment?.PORT],
      ['worker', services.worker?.environment?.WORKER_PORT],
    ])
  })

  it('runs only the service unless a profile is asked for', () => {
    const always = Object.keys(services).filter((name) => services[name]?.profiles === undefined)
    expect(always).to.have.members(['mongodb', 'redis', 'release', 'web', 'worker'])
  })
})
