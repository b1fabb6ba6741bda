/** Numbers and times for a person. Every number with its unit. */

import type { Provider } from "./wire";

export function gain(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : 1)}x`;
}

/** Of a natural logarithm of a factor of time. */
export function logGain(value: number): string {
  return gain(Math.exp(value));
}

/** Whose number it is. Times of the simulator are predictions and are called so wherever they appear. */
export function source(provider: string): string {
  switch (provider as Provider) {
    case "gpu": return "measured";
    case "fixture": return "recorded";
    default: return "predicted";
  }
}

/** Of a job that has not ended: `gpu` falls back to the simulator where there is no GPU. */
export function expectedSource(provider: string, mode: string): string {
  return source(provider === "gpu" && mode !== "gpu" ? "sim" : provider);
}

export function time(ns: number): string {
  if (ns <= 0) return "–";
  if (ns < 1e3) return `${ns.toFixed(0)} ns`;
  if (ns < 1e6) return `${(ns / 1e3).toFixed(2)} µs`;
  return ns < 1e9 ? `${(ns / 1e6).toFixed(2)} ms` : `${(ns / 1e9).toFixed(2)} s`;
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${seconds.toFixed(0)} s`;
  if (seconds < 5400) return `${(seconds / 60).toFixed(0)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function moment(unixMs: number): string {
  return unixMs > 0 ? new Date(unixMs).toLocaleString() : "";
}

/** "12.0 Mflop", "3.75 TB/s": of thousands, to three digits. */
export function inThousands(value: number, unit: string): string {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let at = 0;
  while (value >= 999.5 && at + 1 < prefixes.length) {
    value /= 1000;
    ++at;
  }
  return `${Number(value.toPrecision(3))} ${prefixes[at]}${unit}`;
}

export function bytes(value: number): string {
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (value >= 1023.5 && at + 1 < names.length) {
    value /= 1024;
    ++at;
  }
  return `${Number(value.toPrecision(3))} ${names[at]}`;
}

export function percent(value: number): string {
  return `${value < 9.95 ? Number(value.toPrecision(2)) : value.toFixed(0)} %`;
}

const units: Record<string, string> = {
  evaluations: "candidates",
  seconds: "s of work",
  gpu_seconds: "s on the device",
  tokens: "tokens",
  usd: "US dollars",
};
export const amountNames = Object.keys(units);
export function unit(name: string): string {
  return units[name] ?? name;
}
export function amount(value: number): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 100 ? 2 : 0 });
}

/** "memory_bandwidth" as words. */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}

/** Of the least time that a device allows. Data that stay in the L2 cache may beat the memory's rate. */
export function share(ratio: number): string {
  if (ratio > 1.005) return "more than 100 %";
  const percent = 100 * ratio;
  return `${percent < 9.95 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}
