import "./styles/main.css";
import { watchCopy } from "./copy";
import { watchFolds } from "./folds";
import { watchLive } from "./live";
import { watchPasskeys } from "./passkeys";
import { watchPlatters } from "./platter";
import { watchRefine } from "./refine";
import { watchSuggest } from "./suggest";
import { watchTheme } from "./theme";
import { watchTray } from "./tray";

function start(): void {
  watchCopy(document);
  watchFolds(document);
  watchPasskeys(document);
  watchSuggest(document);
  watchRefine(document);
  watchPlatters(document);
  watchTray(document);
  // A page without a chart does not pay for the library.
  const charts = document.querySelector("figure.chart") ? import("./charts/mount") : undefined;
  watchTheme(document.querySelector<HTMLElement>("[data-theme-toggle]"), () => {
    void charts?.then(({ redrawCharts }) => redrawCharts());
  });
  void charts?.then(({ mountCharts, watchSystem }) => {
    mountCharts(document);
    watchSystem();
  });
  watchLive(document, (element) => {
    watchCopy(element);
  });
}

start();
