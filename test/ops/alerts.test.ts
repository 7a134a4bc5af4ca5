import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { queueNames } from '../../schemas/jobs.ts'
import { failureStages } from '../../schemas/responses/webhooks.ts'
import { transitions } from '../../src/intents/lifecycle.ts'
import { addProcessMetrics, alertedLogLines, createMetrics } from '../../src/metrics/metrics.ts'
import { errorCatalogue } from '../../src/platform/errors.ts'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
type MetricDescription = { name: string; type: string; labelNames: string[] }

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook: string }
}

interface AlertTest {
  input_series: { series: string; values: string }[]
  alert_rule_test: { eval_time: string; alertname: string; exp_alerts: unknown[] }[]
}

interface Panel {
  id: number
  type: string
  datasource?: { uid: string }
  targets?: { expr: string; legendFormat: string; datasource: { uid: string } }[]
}

const metrics = createMetrics()
addProcessMetrics(metrics)
const described = metrics.registry.getMetricsAsArray() as unknown as MetricDescription[]
/** Every series that Prometheus stores for the metrics, with its labels. Prometheus adds those of the target. */
const series = new Map<string, string[]>([['up', []]])
for (const { name, type, labelNames } of described)
  if (type === 'histogram') {
    for (const suffix of ['_sum', '_count']) series.set(name + suffix, labelNames)
    series.set(`${name}_bucket`, [...labelNames, 'le'])
  } else series.set(name, labelNames)
const ofTarget = ['job', 'instance']
const rules: Rule[] = parse(read('ops/alerts.yml')).groups.flatMap((group: { rules: Rule[] }) => group.rules)
const tests: AlertTest[] = parse(read('ops/alerts.test.yml')).tests
const minutesOf = ({ eval_time: time }: { eval_time: string }): number => Number(time.replace('m', ''))
const dashboard = JSON.parse(read('ops/grafana-dashboard.json')) as { panels: Panel[] }
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? [])
const page = read('docs/operators/watch.md')
const named = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

const plain: Record<string, readonly string[]> = {
  route: [],
  business: [],
  line: [],
  result: ['ok', 'refused', 'failed', 'gone'],
  params: ['same', 'other'],
  transition: ['create', ...Object.keys(transitions)],
  kind: ['link', 'code', 'test-code', 'payment', 'refund', 'used', 'most'],
  outcome: ['done', 'refused', 'declined', 'failed', 'not-executed', 'unknown'],
  stage: ['none', ...failureStages],
  level: ['warn', 'error'],
  environment: ['live', 'test'],
  wallet: ['live', 'sandbox', 'simulation'],
  queue: queueNames,
  state: ['waiting', 'active', 'delayed', 'failed'],
}

const valuesOf = (label: string): readonly string[] => [...(plain[label] ?? []), ...explained(label)]

const explained = (label: string): string[] =>
  [...page.matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm)]
    .filter(([, labels = '']) => named(labels).includes(label))
    .flatMap(([, , values = '']) => named(values))

function faultsOf(expr: string): string[] {
  const used = [...expr.matchAll(/\b((?:payment_intents|nodejs|process)_\w+|up)\b/g)].map(([name]) => name)
  const labels = new Set([...used.flatMap((name) => series.get(name) ?? []), ...ofTarget])
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, ?/))
  const selectors = [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, name = '', list = '']) =>
    [...list.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label = '', how = '', value = '']) => ({
      name,
      label,
      values: how.includes('~') ? value.split('|') : [value],
    })),
  )
  return [
    ...(used.length === 0 ? ['no metric'] : []),
    ...used.filter((name) => !series.has(name)),
    ...grouped.filter((label) => !labels.has(label)),
    ...selectors
      .filter(({ name, label }) => ![...(series.get(name) ?? []), ...ofTarget].includes(label))
      .map(({ name, label }) => `${name}{${label}}`),
    ...selectors
      .filter(({ label }) => !['route', 'line', 'le', ...ofTarget].includes(label))
      .flatMap(({ label, values }) => values.filter((value) => !isValue(label, value)))
      .map((value) => `"${value}"`),
  ]
}

const isValue = (label: string, value: string): boolean =>
  label === 'code' ? value in errorCatalogue || /^[\d[\].]+$/.test(value) : valuesOf(label).includes(value)

describe('The monitoring setup', () => {
  it('explains each label in docs/operators/watch.md, unless its values are self-explanatory', () => {
    const own = described.filter(({ name }) => name.startsWith('payment_intents_'))
    const labels = new Set(own.flatMap(({ labelNames }) => labelNames))
    const unexplained = [...labels].filter((label) => !(label in plain) && explained(label).length === 0)
    expect(unexplained).to.deep.equal([])
  })

  it('uses only documented labels in alerts and on the dashboard', () => {
    const wrong = 'sum by (rout) (rate(payment_intents_http_requests_total{cod="OK", code="NO"}[5m]))'
    const faults = ['rout', 'payment_intents_http_requests_total{cod}', '"OK"', '"NO"']
    expect(faultsOf(wrong)).to.deep.equal(faults)
    expect(faultsOf('payment_intents_nothing > 0')).to.deep.equal(['payment_intents_nothing'])
    const expressions = [...rules, ...targets].map(({ expr }) => expr)
    expect(expressions.length).to.be.greaterThan(60)
    expect(expressions.flatMap(faultsOf)).to.deep.equal([])
  })

  it('has a runbook section and a test for each alert', () => {
    const sections = [...read('docs/operators/runbook.md').matchAll(/^## (\w+)\n\n`(\w+)` · /gm)]
    expect(sections.map(([, alert, severity]) => ({ alert, severity }))).to.deep.equal(
      rules.map(({ alert, labels }) => ({ alert, severity: labels.severity })),
    )
    for (const { alert, annotations } of rules)
      expect(annotations.runbook).to.equal(`docs/operators/runbook.md#${alert.toLowerCase()}`)
    const cases = tests.flatMap((test) => test.alert_rule_test)
    for (const fires of [true, false]) {
      const tested = cases.filter(({ exp_alerts: expected }) => expected.length > 0 === fires)
      const names = new Set(tested.map(({ alertname }) => alertname))
      expect([...names]).to.have.members(rules.map(({ alert }) => alert))
    }
  })

  it('has a runbook that explains every alert, with impact and remedy for those that page someone', () => {
    const [, ...entries] = read('docs/operators/runbook.md').split(/^## (?=\w+\n\n`)/m)
    expect(entries.length).to.equal(rules.length)
    for (const entry of entries) {
      const parts = entry.includes('`page`')
        ? ['**Means:**', '**Impact:**', '\n1. ', '**Done when**']
        : ['**Means:**']
      for (const part of parts) expect(entry).to.include(part)
    }
  })

  it("tests that old counts don't trigger a log-line alert after a failed scrape", () => {
    const counted = rules.filter(({ expr }) => expr.includes('_log_lines_total'))
    const isQuietAfterGap = ({ alert, expr }: Rule) =>
      tests.some(({ input_series: given, alert_rule_test: cases }) =>
        given.some(({ series: of, values }) => {
          const [name = ''] = of.split('{')
          const before = values.split(' stale')[0]?.split(' ') ?? []
          const gapAt = before.reduce((minutes, piece) => minutes + 1 + Number(piece.split('x')[1] ?? 0), 0)
          const isQuiet = cases.some(
            (one) => one.alertname === alert && minutesOf(one) > gapAt && one.exp_alerts.length === 0,
          )
          return values.includes(' stale') && expr.includes(name) && isQuiet
        }),
      )
    expect(counted.length).to.be.greaterThan(3)
    expect(counted.filter((rule) => !isQuietAfterGap(rule)).map(({ alert }) => alert)).to.deep.equal([])
  })

  it('exports a zero count from the first scrape for every log line that an alert watches', () => {
    const [, logs = ''] = page.split('\n## Logs\n')
    const atError = [...logs.matchAll(/^\| (`[^|]+) \| error \|/gm)].flatMap(([, cell = '']) => named(cell))
    expect(alertedLogLines.error).to.have.members(atError)
    const watched = rules.flatMap(({ expr }) =>
      [...expr.matchAll(/\bline=~?"([^"]+)"/g)].flatMap(([, lines = '']) => lines.split('|')),
    )
    expect(watched.length).to.be.greaterThan(3)
    expect([...alertedLogLines.error, ...alertedLogLines.warn]).to.include.members(watched)
  })

  it('has a dashboard whose panels use the selected data source', () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length)
    for (const { type, datasource, targets: queries = [] } of panels) {
      if (type === 'row') continue
      expect(queries).to.not.have.length(0)
      for (const source of [datasource, ...queries.map((query) => query.datasource)])
        expect(source?.uid).to.equal('${datasource}')
    }
    const legends = targets.flatMap(({ expr, legendFormat }) =>
      [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => ({ expr, label })),
    )
    const isKept = ({ expr, label }: { expr: string; label: string }) =>
      expr.includes(' by (') ? new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr) : ofTarget.includes(label)
    expect(legends.filter((legend) => !isKept(legend))).to.deep.equal([])
  })
})
