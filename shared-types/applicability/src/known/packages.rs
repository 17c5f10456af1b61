//! The tables of packages: `name` or `name,other=package`, by type of package URL.

/// The ecosystems of [`PACKAGES`] and of the table of imports.
pub(super) const KINDS: [&str; 8] = [
    "pypi", "npm", "maven", "cargo", "gem", "composer", "nuget", "golang",
];

/// Packages whose names stand for themselves in prose.
pub(super) const PACKAGES: &[(&str, &str)] = &[
    (
        "pypi",
        "aiohttp airflow=apache-airflow alembic ansible-core apache-airflow arviz asgiref astropy asyncpg \
         bokeh boto3 botocore celery certifi channels cryptography cupy cvxpy dash dask datasets django \
         djangorestframework drf=djangorestframework falcon fastai fastapi flask gensim geopandas gevent \
         gradio grpcio gunicorn h5py httpx huggingface-hub,huggingface_hub=huggingface-hub hypothesis jax \
         jaxlib jinja,jinja2=Jinja2 joblib jsonschema jupyter jupyterlab keras kivy kombu langchain \
         librosa lightgbm lightning llama-index loguru lxml matplotlib mitmproxy mkdocs mypy networkx nltk \
         numba numpy nuitka openai opencv-python,opencv=opencv-python openpyxl optuna pandas paramiko \
         peewee pillow pip-tools plotly polars poetry-core pre-commit protobuf psutil psycopg psycopg2 \
         pyarrow pycryptodome pydantic pygame pyinstaller pyjwt=PyJWT pylint pymongo pymc pymysql=PyMySQL \
         pyopenssl=pyOpenSSL pyparsing pyside6=PySide6 pyspark pytest pytest-asyncio python-dateutil \
         pytorch,torch=torch pytorch-lightning pytz pywin32 pyyaml=PyYAML ray reportlab requests rich ruff \
         scikit-image scikit-learn scipy scrapy seaborn selenium sentence-transformers setuptools shapely \
         simpy spacy sphinx sqlalchemy=SQLAlchemy sqlmodel starlette statsmodels streamlit sympy \
         tensorboard tensorflow tf=tensorflow tiktoken tokenizers torchaudio torchvision tornado tqdm \
         transformers twisted typer ujson urllib3 uvicorn uvloop virtualenv wagtail werkzeug=Werkzeug \
         wheel xarray xgboost zeep diffusers accelerate bitsandbytes onnx onnxruntime triton vllm xformers \
         pydantic-core typing-extensions,typing_extensions=typing-extensions flask-sqlalchemy marshmallow \
         nox httpcore anyio trio websockets black isort flake8 mechanize feedparser bleach jupyter-server \
         notebook nbconvert",
    ),
    (
        "npm",
        "react react-dom vue angular.js=angular svelte next.js,nextjs=next nuxt,nuxt.js=nuxt \
         express.js,expressjs=express express webpack vite rollup esbuild typescript eslint prettier jest \
         mocha cypress playwright puppeteer redux axios lodash jquery d3,d3.js=d3 three.js,threejs=three \
         socket.io bootstrap tailwindcss,tailwind=tailwindcss postcss storybook electron gatsby \
         react-native react-router react-router-dom vue-router vuex pinia rxjs zod prisma mongoose \
         sequelize typeorm nestjs=@nestjs/core fastify koa graphql apollo-client=@apollo/client \
         babel=@babel/core parcel turbo lerna nx eslint-plugin-react styled-components \
         @emotion/react=@emotion/react material-ui,mui=@mui/material antd \
         ng-bootstrap=@ng-bootstrap/ng-bootstrap vitest testing-library=@testing-library/react moment \
         dayjs date-fns chalk yargs inquirer ts-node ts-jest nodemon jsonwebtoken \
         multer sharp winston pino handlebars ejs pug remix=@remix-run/react astro solid-js preact \
         alpinejs ember.js=ember-source backbone.js=backbone node-fetch undici ws cross-env husky \
         node-sass sass-loader css-loader swr highcharts chart.js leaflet mapbox-gl video.js tinymce \
         ckeditor quill marked dompurify underscore.js=underscore angular=@angular/core",
    ),
    (
        "maven",
        "spring-boot=org.springframework.boot/spring-boot springboot=org.springframework.boot/spring-boot \
         spring-core=org.springframework/spring-core \
         spring-security=org.springframework.security/spring-security-core guava=com.google.guava/guava \
         gson=com.google.code.gson/gson \
         jackson,jackson-databind=com.fasterxml.jackson.core/jackson-databind \
         log4j2,log4j-core=org.apache.logging.log4j/log4j-core logback=ch.qos.logback/logback-classic \
         slf4j=org.slf4j/slf4j-api hibernate=org.hibernate/hibernate-core mockito=org.mockito/mockito-core \
         lombok=org.projectlombok/lombok junit5=org.junit.jupiter/junit-jupiter netty=io.netty/netty-all \
         okhttp=com.squareup.okhttp3/okhttp retrofit=com.squareup.retrofit2/retrofit \
         jetty=org.eclipse.jetty/jetty-server hikaricp=com.zaxxer/HikariCP flyway=org.flywaydb/flyway-core \
         mapstruct=org.mapstruct/mapstruct snakeyaml=org.yaml/snakeyaml \
         commons-lang3=org.apache.commons/commons-lang3 assertj=org.assertj/assertj-core \
         testng=org.testng/testng selenium-java=org.seleniumhq.selenium/selenium-java \
         struts2=org.apache.struts/struts2-core",
    ),
    (
        "cargo",
        "tokio serde serde_json actix-web axum hyper reqwest clap diesel sqlx rayon tonic prost bevy wgpu \
         tauri leptos yew dioxus anyhow thiserror tracing chrono crossbeam itertools rusqlite tokio-util \
         tower-http wasm-bindgen pyo3 syn nom winit egui",
    ),
    (
        "gem",
        "rails,ruby-on-rails=rails activerecord activesupport actionpack actionview activejob actionmailer \
         activestorage sinatra rspec sidekiq devise nokogiri capistrano rubocop capybara jekyll omniauth \
         carrierwave paperclip kaminari factory_bot unicorn turbolinks webpacker shakapacker sprockets \
         bootsnap hotwire=turbo-rails turbo-rails loofah rexml",
    ),
    (
        "composer",
        "laravel=laravel/framework symfony=symfony/symfony phpunit=phpunit/phpunit doctrine=doctrine/orm \
         twig=twig/twig guzzle=guzzlehttp/guzzle drupal=drupal/core \
         magento=magento/product-community-edition yii2=yiisoft/yii2 cakephp=cakephp/cakephp \
         codeigniter=codeigniter4/framework monolog=monolog/monolog livewire=livewire/livewire \
         filament=filament/filament phpstan=phpstan/phpstan wordpress=johnpbloch/wordpress-core",
    ),
    (
        "nuget",
        "newtonsoft.json=Newtonsoft.Json json.net=Newtonsoft.Json \
         entityframeworkcore,efcore=Microsoft.EntityFrameworkCore automapper=AutoMapper dapper=Dapper \
         serilog=Serilog xunit=xunit nunit=NUnit moq=Moq mediatr=MediatR fluentvalidation=FluentValidation \
         hangfire=Hangfire.Core masstransit=MassTransit signalr=Microsoft.AspNetCore.SignalR \
         blazor=Microsoft.AspNetCore.Components swashbuckle=Swashbuckle.AspNetCore npgsql=Npgsql",
    ),
    (
        "golang",
        "gorm=gorm.io/gorm cobra=github.com/spf13/cobra gorilla=github.com/gorilla/mux \
         logrus=github.com/sirupsen/logrus testify=github.com/stretchr/testify client-go=k8s.io/client-go \
         grpc-go=google.golang.org/grpc zap=go.uber.org/zap",
    ),
];

/// Names that mean one package in every text, many of several words.
pub(super) const PHRASES: &[(&str, &str, &str)] = &[
    ("apollo client", "npm", "@apollo/client"),
    ("apache airflow", "pypi", "apache-airflow"),
    (
        "apache commons text",
        "maven",
        "org.apache.commons/commons-text",
    ),
    ("apache poi", "maven", "org.apache.poi/poi"),
    ("apache mina", "maven", "org.apache.mina/mina-core"),
    ("asp.net core", "nuget", "Microsoft.AspNetCore.App"),
    ("angular", "npm", "@angular/core"),
    ("angular cli", "npm", "@angular/cli"),
    (
        "android gradle plugin",
        "maven",
        "com.android.tools.build/gradle",
    ),
    ("django rest framework", "pypi", "djangorestframework"),
    (
        "entity framework core",
        "nuget",
        "Microsoft.EntityFrameworkCore",
    ),
    ("ef core", "nuget", "Microsoft.EntityFrameworkCore"),
    ("junit 5", "maven", "org.junit.jupiter/junit-jupiter"),
    ("material ui", "npm", "@mui/material"),
    ("pytorch lightning", "pypi", "pytorch-lightning"),
    ("react native", "npm", "react-native"),
    ("react router", "npm", "react-router"),
    ("react dom", "npm", "react-dom"),
    ("redux toolkit", "npm", "@reduxjs/toolkit"),
    ("ruby on rails", "gem", "rails"),
    ("scikit learn", "pypi", "scikit-learn"),
    (
        "spring boot",
        "maven",
        "org.springframework.boot/spring-boot",
    ),
    (
        "spring framework",
        "maven",
        "org.springframework/spring-core",
    ),
    (
        "spring security",
        "maven",
        "org.springframework.security/spring-security-core",
    ),
    (
        "spring data",
        "maven",
        "org.springframework.data/spring-data-commons",
    ),
    (
        "spring cloud",
        "maven",
        "org.springframework.cloud/spring-cloud-commons",
    ),
    (
        "spring kafka",
        "maven",
        "org.springframework.kafka/spring-kafka",
    ),
    (
        "org.springframework",
        "maven",
        "org.springframework/spring-core",
    ),
    ("styled components", "npm", "styled-components"),
    ("tailwind css", "npm", "tailwindcss"),
    ("vue router", "npm", "vue-router"),
    ("vue cli", "npm", "@vue/cli"),
];
