import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, dirname, join, normalize } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { parseEnv, promisify } from 'node:util'
import { environmentSchema } from '../../schemas/environment.ts'
import { parseConfig } from '../../src/config/config.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { temporaryFolder } from '../support/built.ts'
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
  const template = owner.spec?.template ?? expect.fail(`${owner.metadata.name} has no pods`)
  return { owner, template, pod: template.spec, container: template.spec.containers[0] }
})
const base = 'ops/kubernetes/base/kustomization.yaml'
const [{ configMapGenerator: [generated] = [] } = {}] = readYaml<{
  configMapGenerator?: { name: string; envs: string[]; options?: object }[]
}>(base)
const configFiles = generated?.envs.map((file) => join(dirname(base), file)) ?? []
const config = parseEnv(configFiles.map(readText).join('\n')) as Record<string, string>
const secrets = the('Secret', 'payment-intents').stringData ?? {}
/** A platform kills a process 5 s after the end of its shutdown timeout. */
const killedAfterSeconds = environmentSchema.properties.SHUTDOWN_TIMEOUT_SECONDS.default + 5
const processLabel = '__meta_kubernetes_pod_label_app_kubernetes_io_component'

interface PodMonitor {
  spec: { selector: { matchLabels: Record<string, string> }; podMetricsEndpoints: MetricsEndpoint[] }
}

interface MetricsEndpoint {
  port: string
  relabelings: { sourceLabels: string[]; targetLabel: string; replacement: string }[]
}

interface Scraping {
  scrape_configs: {
    job_name: string
    relabel_configs?: {
      source_labels: string[]
      target_label?: string
      regex?: string
      replacement?: string
    }[]
    dns_sd_configs: { names: string[]; port: number }[]
  }[]
}

const procfileLine = (name: string): string | undefined =>
  new RegExp(`^${name}: (.+)$`, 'm').exec(readText('Procfile'))?.[1]

describe('The Kubernetes configuration', () => {
  it('includes every manifest in a kustomization, except the empty example secrets', () => {
    const reached = manifestFiles
      .filter((file) => basename(file) === 'kustomization.yaml')
      .flatMap((file) => {
        const [{ resources = [], components = [] } = {}] = readYaml<Record<string, string[]>>(file)
        return [...resources, ...components].map((path) => normalize(join(dirname(file), path)))
      })
    for (const path of reached) expect(existsSync(path), path).to.equal(true)
    const files = manifestFiles.filter((file) => !file.endsWith('kustomization.yaml'))
    const unreached = files.filter((file) => !reached.includes(file))
    expect(unreached).to.deep.equal(['ops/kubernetes/base/secrets.example.yaml'])
    expect(Object.values(secrets).filter((value) => value !== '')).to.deep.equal([])
  })

  it('defines an environment in which the service starts in production mode', () => {
    const names = [config, secrets].flatMap(Object.keys)
    expect(Object.keys(environmentSchema.properties)).to.include.members(names)
    const read = parseConfig({
      ...config,
      ...secrets,
      MONGODB_URL: 'mongodb://a,b,c/payment_intents?replicaSet=rs',
      REDIS_URL: 'rediss://redis:6379',
      SECRET_KEY: randomBytes(32).toString('base64'),
    })
    expect(read).to.include({ production: true, port: 3000, workerPort: 9464 })
  })

  it('gives a changed configuration a new name, so running pods keep the old one', () => {
    expect(generated).to.have.all.keys('name', 'envs')
    expect(generated?.name).to.equal('payment-intents')
    expect(objects.map(({ kind }) => kind)).to.not.include('ConfigMap')
    const [options] = readYaml<object>(base)
    expect(options).to.not.have.any.keys('generatorOptions')
  })

  it('needs nothing but Kubernetes itself, unless an optional component is switched on', () => {
    const [{ resources = [], components = [] } = {}] = readYaml<Record<string, string[]>>(
      'ops/kubernetes/service/kustomization.yaml',
    )
    expect(components).to.deep.equal(['../image'])
    const files = resources.filter((path) => path.endsWith('.yaml'))
    const applied = files.flatMap((path) => readYaml<Manifest>(join('ops/kubernetes/service', path)))
    for (const { kind, spec } of applied) {
      expect(kind).to.be.oneOf(['Deployment', 'Service', 'PodDisruptionBudget', 'NetworkPolicy'])
      if (kind === 'Deployment') expect(spec?.replicas).to.equal(2)
    }
    for (const name of ['web', 'worker']) {
      const [component] = readYaml<object>(`ops/kubernetes/autoscale-${name}/kustomization.yaml`)
      const remove = { patch: '- op: remove\n  path: /spec/replicas\n' }
      expect(component).to.deep.include({ patches: [{ target: { kind: 'Deployment', name }, ...remove }] })
    }
  })

  it('starts the processes of the Procfile, all from the same image', () => {
    for (const { owner, container } of pods) {
      expect(container.command.join(' ')).to.equal(procfileLine(owner.metadata.name))
      expect(container.image).to.equal('payment-intents')
    }
  })

  it('gives no container root access, extra privileges or a writable file system', () => {
    for (const { pod, container } of pods) {
      expect(pod).to.include({ automountServiceAccountToken: false })
      const seccompProfile = { type: 'RuntimeDefault' }
      expect(pod.securityContext).to.deep.include({ runAsNonRoot: true, runAsUser: 1000, seccompProfile })
      const confined = { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true }
      expect(container.securityContext).to.deep.equal({ ...confined, capabilities: { drop: ['ALL'] } })
    }
    expect(readText('Dockerfile')).to.include('\nUSER 1000:1000\n')
  })

  it("probes the processes' health endpoints", () => {
    const ports = { web: ['http', config.PORT], worker: ['health', config.WORKER_PORT] } as const
    for (const [name, [port, containerPort]] of Object.entries(ports)) {
      const container = pods.find(({ owner }) => owner.metadata.name === name)?.container as Container
      expect(container.ports).to.deep.equal([
        { name: port, containerPort: Number(containerPort) },
        { name: 'metrics', containerPort: Number(config.METRICS_PORT) },
      ])
      for (const probe of ['startupProbe', 'livenessProbe'] as const)
        expect(container[probe]?.httpGet).to.deep.equal({ path: '/healthz', port })
      expect(container.readinessProbe?.httpGet).to.deep.equal({ path: '/readyz', port })
    }
    for (const path of ['/healthz', '/readyz'])
      expect(readText('src/http/server/probes.ts')).to.include(`'${path}'`)
  })

  it('gives work in progress enough time to finish', () => {
    const [, web, worker] = pods
    const hookSeconds = web?.container.lifecycle?.preStop.sleep.seconds ?? Number.NaN
    expect(killedAfterSeconds).to.equal(30)
    expect(web?.pod.terminationGracePeriodSeconds).to.equal(hookSeconds + killedAfterSeconds)
    expect(worker?.pod.terminationGracePeriodSeconds).to.equal(killedAfterSeconds)
    expect(readText('docs/operators/deploy.md')).to.include(`${killedAfterSeconds} s`)
  })

  it('allows the network traffic that the service needs', () => {
    type Rules = { ports?: { port: number }[] }[]
    const { spec } = the('NetworkPolicy', 'payment-intents')
    const { ingress, egress } = spec as unknown as { ingress: Rules; egress: Rules }
    const portsOf = (rules: Rules) => rules.flatMap(({ ports = [] }) => ports.map(({ port }) => port))
    expect(portsOf(ingress)).to.include.members([Number(config.PORT), Number(config.METRICS_PORT)])
    const written = `${readText('.env.example')}\n${readText('ops/docker-compose.md')}`
    const named = (name: string) =>
      Number(new RegExp(`^.*\\b${name}=\\w+://[\\w.]+:(\\d+)`, 'm').exec(written)?.[1])
    const servers = ['MONGODB_URL', 'REDIS_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT'].map(named)
    expect(servers.filter(Number.isNaN)).to.deep.equal([])
    expect(portsOf(egress)).to.include.members(servers)
  })

  it('uses the Prometheus job names that the alerts expect', () => {
    const [operated] = readYaml<PodMonitor>('ops/prometheus/pod-monitor.yaml')
    const [plain] = readYaml<Scraping>('ops/prometheus/kubernetes.yml')
    const [composed] = readYaml<Scraping>('ops/prometheus/prometheus.yml')
    const { selector, podMetricsEndpoints: endpoints = [] } = operated?.spec ?? {}
    const [keep, ...relabels] = plain?.scrape_configs[0]?.relabel_configs ?? []
    const jobs = pods.slice(1).map(({ template, container }) => {
      const { labels } = template.metadata
      const port = container.ports?.[1]?.name ?? ''
      expect(labels).to.include(selector?.matchLabels ?? { selector })
      expect(endpoints.map((each) => each.port)).to.deep.equal([port])
      expect(`${labels['app.kubernetes.io/name']};${port};Running`).to.match(
        new RegExp(`^(?:${keep?.regex})$`),
      )
      const replacements = [
        ...(endpoints[0]?.relabelings ?? []).map((one) => ({ ...one, from: one.sourceLabels })),
        ...relabels.map((one) => ({ ...one, targetLabel: one.target_label, from: one.source_labels })),
      ].filter(({ targetLabel }) => targetLabel === 'job')
      expect(replacements.map(({ from }) => from)).to.deep.equal([[processLabel], [processLabel]])
      return replacements.map(({ replacement }) =>
        replacement?.replace('$1', labels['app.kubernetes.io/component'] ?? ''),
      )
    })
    const named = composed?.scrape_configs.map(({ job_name: name }) => [name, name])
    expect(jobs).to.deep.equal(named)
    expect(readText('ops/alerts.yml')).to.include(`up{job="${jobs[0]?.[0]}"}`)
  })

  it('selects only pods that exist, and scales only on metrics that exist', () => {
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
    const { triggers = [] } = the('ScaledObject', 'worker').spec ?? {}
    const used = triggers.flatMap(({ metadata }) => metadata.query?.match(/payment_intents_\w+/g) ?? [])
    expect(used).to.deep.equal(['payment_intents_oldest_due_delivery_seconds'])
    expect(createMetrics().registry.getSingleMetric(String(used[0]))).to.not.equal(undefined)
  })
})

describe('The roll-out script', () => {
  /** Runs the script with a kubectl that reports this job state. Returns the calls of kubectl. */
  async function rollOut(state: string): Promise<{ code: number; calls: string[] }> {
    const kubectl = `kubectl() { echo "$*" >&3; case "$*" in *' get job '*) printf '${state}' ;; esac; }`
    const script = `${kubectl}\n. ./ops/kubernetes/roll-out.sh`
    const args = ['-c', script, 'ops/kubernetes/roll-out.sh']
    const child = spawn('sh', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    const [output, [code]] = await Promise.all([text(child.stdio[3] as Readable), once(child, 'close')])
    return { code, calls: output.trim().split('\n') }
  }

  it('starts the processes only if the release job succeeds', async () => {
    const succeeded = await rollOut('SuccessCriteriaMet Complete')
    expect(succeeded.code).to.equal(0)
    expect(succeeded.calls.map((line) => line.split(' jsonpath')[0])).to.deep.equal([
      '-n payment-intents delete job release --ignore-not-found',
      'apply -k release',
      '-n payment-intents get job release -o',
      'apply -k service',
    ])
    const failed = await rollOut('FailureTarget Failed')
    expect(failed.code).to.equal(1)
    expect(failed.calls).to.not.include('apply -k service')
  })
})

interface ComposeService {
  image: string
  command?: string[]
  profiles?: string[]
  volumes?: string[]
  ports?: string[]
  environment?: Record<string, string>
  [more: string]: unknown
}

describe('docker-compose.yml', () => {
  type Compose = { services?: Record<string, ComposeService> }
  const [{ services = {} } = {}] = readYaml<Compose>('docker-compose.yml')

  it('starts the processes of the Procfile with a read-only root file system', () => {
    for (const name of ['release', 'worker'])
      expect(services[name]?.command?.join(' ')).to.equal(procfileLine(name))
    expect(readText('Dockerfile')).to.include('CMD ["node", "dist/src/server.js"]')
    for (const name of ['release', 'web', 'worker'])
      expect(services[name]).to.include({ image: 'payment-intents', read_only: true })
  })

  it('pins every image and mounts only existing paths', () => {
    const own = ['release', 'web', 'worker', 'demo']
    const others = Object.entries(services).filter(([name]) => !own.includes(name))
    for (const [, { image }] of others) expect(image).to.match(/:v?\d+\.\d+/)
    const mounts = others.flatMap(([, { volumes = [] }]) => volumes.filter((path) => path.startsWith('./')))
    expect(mounts.length).to.be.greaterThan(3)
    for (const mount of mounts) expect(existsSync(mount.split(':')[0] ?? ''), mount).to.equal(true)
    const [prometheus] = readYaml<Scraping>('ops/prometheus/prometheus.yml')
    const scraped = prometheus?.scrape_configs.flatMap((job) => job.dns_sd_configs)
    expect(scraped?.map(({ names, port }) => [...names, String(port)])).to.deep.equal([
      ['web', services.web?.environment?.METRICS_PORT],
      ['worker', services.worker?.environment?.METRICS_PORT],
    ])
  })

  it('passes every variable of the service on, except those that it sets itself', () => {
    const own = ['PORT', 'MONGODB_URL', 'REDIS_URL', 'WORKER_PORT', 'METRICS_PORT', 'METRICS_TOKEN']
    const passed = services.web?.environment ?? {}
    expect(passed).to.have.all.keys(...Object.keys(environmentSchema.properties))
    for (const [name, value] of Object.entries(passed))
      if (own.includes(name)) expect(value, name).to.not.contain('$')
      else expect(value, name).to.match(new RegExp(String.raw`^\$\{${name}:[-?]`))
    expect(passed.METRICS_TOKEN).to.equal('')
  })

  it('starts with .env.example, and in production asks for a key and https', () => {
    const given: Record<string, string | undefined> = parseEnv(readText('.env.example'))
    const fill = (template: string): string =>
      template.replaceAll(/\$\{(\w+):[-?]((?:[^{}]|\$\{[^{}]*\})*)\}/g, (_, name: string, other: string) =>
        given[name] ? given[name] : fill(other),
      )
    const environment = Object.fromEntries(
      Object.entries(services.web?.environment ?? {}).map(([name, value]) => [name, fill(value)]),
    )
    expect(parseConfig(environment)).to.include({ production: false, publicUrl: 'http://localhost:3000' })
    expect(() => parseConfig({ ...environment, NODE_ENV: 'production' }))
      .to.throw('PUBLIC_URL must use https')
      .with.property('message')
      .that.contains('SECRET_KEY must not be a weak or example key')
  })

  it('is reachable only from this machine, and limits memory and logs', () => {
    for (const [name, { ports = [], mem_limit, logging }] of Object.entries(services)) {
      for (const port of ports) expect(port, name).to.match(/^127\.0\.0\.1:/)
      expect(mem_limit, name).to.match(/^\d+[mg]$/)
      expect(logging, name).to.deep.include({ driver: 'json-file' })
    }
    expect(services.mongodb?.command).to.include('--wiredTigerCacheSizeGB')
    expect(services.redis?.command).to.include.members(['--maxmemory', 'noeviction'])
  })

  it('gives each process enough time to stop', () => {
    for (const name of ['web', 'worker'] as const) {
      expect(services[name]?.stop_grace_period).to.equal(`${killedAfterSeconds}s`)
      expect(services[name]).to.not.have.property('healthcheck')
    }
  })

  it('starts only the service and its databases unless a profile is given', () => {
    const always = Object.keys(services).filter((name) => services[name]?.profiles === undefined)
    expect(always).to.have.members(['mongodb', 'redis', 'release', 'web', 'worker'])
  })
})

describe('The container image', () => {
  it("takes MongoDB's programs from the image that docker compose runs", () => {
    const [, image] = /^FROM (mongo:\S+) AS mongodb$/m.exec(readText('Dockerfile')) ?? []
    expect(image).to.equal(
      readYaml<{ services: Record<string, ComposeService> }>('docker-compose.yml')[0]?.services.mongodb
        ?.image,
    )
  })

  it('copies nothing that .dockerignore leaves out, and contains everything that the build needs', () => {
    const copied = [...readText('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, paths = '']) => paths.split(' '),
    )
    const kept = readText('.dockerignore').split('\n')
    expect(copied.length).to.be.greaterThan(10)
    for (const path of copied) {
      expect(existsSync(path), path).to.equal(true)
      expect(kept).to.include(`!${path.replace(/\/$/, '')}`)
    }
  })
})

describe("The container image's health check", () => {
  it("checks each process on that process's own port", async () => {
    const respondWith = (status: number) =>
      createServer(({ url }, res) => res.writeHead(url === '/healthz' ? status : 404).end())
    const [healthy, sick, closed] = [respondWith(200), respondWith(503), createServer()]
    const servers = [healthy, sick, closed]
    try {
      await Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening')))
      const [good, bad, free] = servers.map((server) => String((server.address() as AddressInfo).port))
      closed.close()
      const exitCodes = await Promise.all([
        check('web', { PORT: good, WORKER_PORT: free }),
        check('web', { PORT: bad, WORKER_PORT: good }),
        check('web', { PORT: free, WORKER_PORT: good }),
        check('worker', { PORT: free, WORKER_PORT: good }),
        check('worker', { PORT: good, WORKER_PORT: bad }),
        check('worker', { PORT: free }),
        check('release', { PORT: free, WORKER_PORT: free }),
      ])
      expect(exitCodes).to.deep.equal([0, 1, 1, 0, 1, 0, 0])
    } finally {
      for (const server of [healthy, sick]) server.close()
    }
  })

  /** The check's exit code. Process 1 runs a Procfile line under tini, as in docker compose. */
  async function check(name: string, env: NodeJS.ProcessEnv): Promise<number> {
    const line = procfileLine(name) ?? expect.fail(name)
    const process1 = join(temporaryFolder(), 'cmdline')
    await writeFile(process1, ['/sbin/docker-init', '--', ...line.split(' '), ''].join('\0'))
    const [, written = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(readText('Dockerfile')) ?? []
    const [node, ...given] = JSON.parse(written) as string[]
    expect([node, given.join(' ').split('/proc/1/cmdline').length]).to.deep.equal(['node', 2])
    const args = given.map((arg) => arg.replace('/proc/1/cmdline', process1))
    return promisify(execFile)(process.execPath, args, { env, timeout: 5000 }).then(
      () => 0,
      (error: { code: number }) => error.code,
    )
  }
})
