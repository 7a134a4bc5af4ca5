import { html } from 'ghtml'
import type { DeliveryHour } from '../../webhooks/deliveries/delivery-hour.ts'
import { time } from './layout.ts'

/**
 * Each result has its own plot. In a shared plot, a few dead deliveries would be invisible next to many successful
 * attempts.
 */
const series = {
  delivered: { title: 'Delivered', colour: 'good' },
  retrying: { title: 'Failed, to be retried', colour: 'wait' },
  dead: { title: 'Dead', colour: 'bad' },
} as const
type Series = keyof typeof series

/** The width of a plot in SVG units, about the width of a phone screen in pixels. */
const width = 336
const height = 96
const ground = 76

const figure = new Intl.NumberFormat('en')

/**
 * Returns bar charts of the attempt results per hour, with a table of the same numbers. The charts work without
 * scripts.
 */
export const plots = (hours: readonly DeliveryHour[]): string =>
  html`<div class="plots">!${(Object.keys(series) as Series[]).map((name) => plot(name, hours))}</div>
    <details><summary>Show as a table</summary>!${table(hours)}</details>`

function plot(name: Series, hours: readonly DeliveryHour[]): string {
  const { title, colour } = series[name]
  const counts = hours.map((hour) => hour[name])
  const total = counts.reduce((sum, count) => sum + count, 0)
  const max = Math.max(...counts)
  const label = `${title} per hour: ${figure.format(total)} in total, at most ${figure.format(max)} in one hour.`
  return html`<figure class="card">
    <figcaption><b>${title}: ${figure.format(total)}</b> <span class="faint">peak: ${figure.format(max)} per hour</span></figcaption>
    <svg viewBox="0 0 ${width} ${height}" class="${colour}" role="img" aria-label="${label}">
      <line class="axis" x1="0" x2="${width}" y1="${ground}" y2="${ground}" />
      !${hours.map((hour, index) => bar(hour, hour[name], index, hours.length, max))}
    </svg>
  </figure>`
}

function bar(hour: DeliveryHour, count: number, index: number, bars: number, max: number): string {
  const step = width / bars
  // Any bar with a count above zero is at least 2 units tall, so that it stays visible.
  const tall = count === 0 ? 0 : Math.max(2, Math.round((count / max) * (ground - 4)))
  const clock = hour._id.toISOString().slice(11, 16)
  const x = Math.round(index * step) + 1
  return html`<rect x="${x}" y="${ground - tall}" width="${Math.floor(step) - 2}" height="${tall}"><title>${clock} UTC: ${figure.format(count)}</title></rect>
    !${hour._id.getUTCHours() % 6 === 0 ? hourLabel(x, clock) : ''}`
}

/** Returns the label below a bar. Near the right edge, the label is right-aligned so that it is not cut off. */
const hourLabel = (x: number, clock: string): string =>
  x > width - 30
    ? html`<text x="${width}" y="${height - 4}" text-anchor="end">${clock}</text>`
    : html`<text x="${x}" y="${height - 4}">${clock}</text>`

const table = (hours: readonly DeliveryHour[]): string =>
  html`<div class="scroll">
    <table>
      <thead><tr><th>Hour</th>!${Object.values(series).map(({ title }) => html`<th class="number">${title}</th>`)}</tr></thead>
      <tbody>!${hours
        .toReversed()
        .map(
          (hour) =>
            html`<tr><td>!${time(hour._id)}</td>!${(Object.keys(series) as Series[]).map((name) => html`<td class="number">${figure.format(hour[name])}</td>`)}</tr>`,
        )}</tbody>
    </table>
  </div>`
