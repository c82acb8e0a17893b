/** Token estimates (replaced by the calibrated estimator of this issue; the signatures stay). */

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 3.5)
}

export function imageTokens(width: number, height: number): number {
  return width > 0 && height > 0 ? Math.min(1600, Math.ceil((width * height) / 750)) : 1600
}
